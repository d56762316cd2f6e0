import type { ComponentChildren, JSX } from 'preact';
import type { FollowedFile } from '../../../domain/drops/sent-drop-store.ts';
import { isolate } from '../../../present/texts/plain.ts';
import { summarizeScans } from '../../../present/texts/scan-texts.ts';
import { useTranslator } from '../../../present/texts/translator-context.ts';
import { describeFile, FileIcon } from '../../shared/components/file-row.tsx';
import { Icon } from '../../shared/components/icon.tsx';
import { ScanNote, ScanSummary } from '../../shared/components/scan-note.tsx';
import { namePerson, type Person } from '../components/person.tsx';
import { DownloadOwn, OwnFileName, type OwnFilesPath } from './own-files.tsx';

export interface DropFile extends Pick<FollowedFile, 'id' | 'path' | 'sizeBytes' | 'scan'> {
  /** Undefined for a file that is on another page of the list. */
  readonly holders?: FileHolders | undefined;
}

export interface FileHolders {
  /** To how many receivers it was sent in full, and the first of them: as many as fit on a line. */
  readonly deliveredCount: number;
  readonly deliveredTo: readonly Person[];
  /** To how many a part was sent, and the first of them with how much of it in percent. */
  readonly partlyCount: number;
  readonly partlyTo: readonly { readonly person: Person; readonly percent: number }[];
}

/** The files of a delivery, and for each who has it. */
export function DropFiles(props: {
  files: readonly DropFile[];
  receivers: number;
  /** Where the sender can download them. */
  ownPath?: OwnFilesPath;
  pager?: ComponentChildren;
}): JSX.Element {
  const translator = useTranslator();
  const { files, receivers } = props;
  const { differs } = summarizeScans(files);
  return (
    <section id="delivery-files">
      <div class="section-head">
        <h2>{translator.t('sentList.files')}</h2>
        <ScanSummary files={files} />
        <DownloadOwn path={props.ownPath} ids={files.map(({ id }) => id)} />
      </div>
      <ul class="file-lines">
        {files.map(
          (file) =>
            file.holders && (
              <li key={file.id}>
                <FileIcon name={file.path} />
                <div class="file-about">
                  <OwnFileName path={props.ownPath} id={file.id} name={file.path} />
                  <div class="file-meta small quiet">
                    <span>{describeFile(file.path, translator.formatSize(file.sizeBytes))}</span>
                    {differs(file) && <ScanNote {...file} />}
                  </div>
                </div>
                <Holders {...file.holders} receivers={receivers} />
              </li>
            ),
        )}
      </ul>
      {props.pager}
    </section>
  );
}

function Holders(props: FileHolders & { receivers: number }): JSX.Element {
  const translator = useTranslator();
  const { deliveredCount, deliveredTo, partlyCount, partlyTo, receivers } = props;
  const list = deliveredTo.map((person) => isolate(namePerson(person))).join(', ');
  const more = deliveredCount - deliveredTo.length;
  return (
    <div class="holders small">
      {deliveredCount > 0 ? (
        <p class="holders-all">
          <Icon name="check" small />
          <span>
            {deliveredCount === receivers && receivers > 1
              ? translator.t('delivery.everyone')
              : more > 0
                ? translator.t('delivery.namesAndMore', { names: list, count: more })
                : list}
          </span>
        </p>
      ) : (
        partlyCount === 0 && <p class="quiet">{translator.t('delivery.nobody')}</p>
      )}
      {partlyTo.map(({ person, percent }) => (
        <p key={person.email} class="quiet">
          {translator.t('common.labelled', {
            label: isolate(namePerson(person)),
            value: `${translator.formatNumber(percent)} %`,
          })}
        </p>
      ))}
      {partlyCount > partlyTo.length && (
        <p class="quiet">{translator.t('delivery.partlyMore', { count: partlyCount - partlyTo.length })}</p>
      )}
    </div>
  );
}
