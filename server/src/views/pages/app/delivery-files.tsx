import type { JSX } from 'preact';
import { FileName } from '../../components/file-name.tsx';
import { describeFile, FileIcon } from '../../components/file-row.tsx';
import { Icon } from '../../components/icon.tsx';
import { namePerson, type Person } from '../../components/person.tsx';
import { ScanNote, ScanSummary } from '../../components/scan-note.tsx';
import { summarizeScans } from '../../components/scan-texts.ts';
import { useTranslator } from '../../components/translator-context.ts';
import { isolate } from '../../plain.ts';

export interface DeliveryFile {
  readonly id: string;
  readonly path: string;
  readonly sizeBytes: number;
  readonly scan: 'clean' | 'unscanned';
  /** The receivers to whom it was sent in full. */
  readonly deliveredTo: readonly Person[];
  /** Those to whom a part was sent, and how much of it in percent. */
  readonly partlyTo: readonly { readonly person: Person; readonly percent: number }[];
}

/** As many names as fit on a line; the others are counted. */
const shownNames = 2;

/** The files of a delivery, and for each who has it. */
export function DeliveryFiles(props: { files: readonly DeliveryFile[]; receivers: number }): JSX.Element {
  const translator = useTranslator();
  const { files, receivers } = props;
  const { differs } = summarizeScans(files);
  return (
    <section>
      <div class="section-head">
        <h2>{translator.t('sentList.files')}</h2>
        <ScanSummary files={files} />
      </div>
      <ul class="file-lines">
        {files.map((file) => (
          <li key={file.id}>
            <FileIcon name={file.path} />
            <div class="file-about">
              <FileName path={file.path} />
              <div class="file-meta small quiet">
                <span>{describeFile(file.path, translator.formatSize(file.sizeBytes))}</span>
                {differs(file) && <ScanNote {...file} />}
              </div>
            </div>
            <Holders file={file} receivers={receivers} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Holders({ file, receivers }: { file: DeliveryFile; receivers: number }): JSX.Element {
  const translator = useTranslator();
  const { deliveredTo, partlyTo } = file;
  const names = deliveredTo.slice(0, shownNames).map((person) => isolate(namePerson(person)));
  const list = names.join(', ');
  const more = deliveredTo.length - names.length;
  return (
    <div class="holders small">
      {deliveredTo.length > 0 ? (
        <p class="holders-all" title={deliveredTo.map(namePerson).join(', ')}>
          <Icon name="check" small />
          <span>
            {deliveredTo.length === receivers && receivers > 1
              ? translator.t('delivery.everyone')
              : more > 0
                ? translator.t('delivery.namesAndMore', { names: list, count: more })
                : list}
          </span>
        </p>
      ) : (
        partlyTo.length === 0 && <p class="quiet">{translator.t('delivery.nobody')}</p>
      )}
      {partlyTo.map(({ person, percent }) => (
        <p key={person.email} class="quiet">
          {translator.t('common.labelled', {
            label: isolate(namePerson(person)),
            value: `${translator.formatNumber(percent)} %`,
          })}
        </p>
      ))}
    </div>
  );
}
