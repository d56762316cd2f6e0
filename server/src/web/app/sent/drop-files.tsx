import type { JSX } from 'preact';
import type { FollowedFile } from '../../../domain/drops/sent-drop-store.ts';
import { isolate } from '../../../present/texts/plain.ts';
import { summarizeScans } from '../../../present/texts/scan-texts.ts';
import { useTranslator } from '../../../present/texts/translator-context.ts';
import { FileRow } from '../../shared/components/file-row.tsx';
import { Icon } from '../../shared/components/icon.tsx';
import { ScanNote, ScanSummary } from '../../shared/components/scan-note.tsx';
import { type FolderPlace, FolderViewList, toFolderView } from '../components/folder-view.tsx';
import { namePerson, type Person } from '../components/person.tsx';
import { toHref } from '../shared/list-props.ts';
import { DownloadOwn, type OwnFilesPath } from './own-files.tsx';

export interface DropFile extends Pick<FollowedFile, 'id' | 'path' | 'sizeBytes' | 'scan'> {
  /** Undefined for a file that the page does not show. */
  readonly holders?: FileHolders | undefined;
}

export interface FileHolders {
  /** To how many receivers it was sent in full, and the first of those who do not have every file. */
  readonly deliveredCount: number;
  readonly deliveredTo: readonly Person[];
  /** To how many a part was sent, and the first of them with how much of it in percent. */
  readonly partlyCount: number;
  readonly partlyTo: readonly { readonly person: Person; readonly percent: number }[];
}

/** How many receivers there are, and how many of them have every file or have opened the page. */
export interface HolderCounts {
  readonly receivers: number;
  readonly downloaded: number;
  readonly opened: number;
}

/** The files of a delivery in their folders. Who has all of them is said once, and at a file only who else has it. */
export function DropFiles(props: {
  files: readonly DropFile[];
  counts: HolderCounts;
  path: string;
  place: FolderPlace;
  /** Where the sender can download them. */
  ownPath?: OwnFilesPath;
}): JSX.Element {
  const translator = useTranslator();
  const { files, counts, path, place } = props;
  const { differs } = summarizeScans(files);
  return (
    <section id="delivery-files">
      <div class="section-head">
        <h2>{translator.t('sent.count', { count: files.length })}</h2>
        <ScanSummary files={files} />
        <DownloadOwn path={props.ownPath} ids={files.map(({ id }) => id)} />
      </div>
      <p class="holders-head small quiet">{describeHolders(translator.t, counts)}</p>
      <FolderViewList
        view={toFolderView(files, translator.locale, place)}
        hrefOf={({ folder, after }) => toHref(path, { folder, files: after })}
        anchor="delivery-files"
        isNoteworthy={differs}
        row={(file, name) => (
          <FileRow
            key={file.id}
            path={name}
            size={translator.formatSize(file.sizeBytes)}
            href={props.ownPath && `${props.ownPath}/files/${file.id}`}
            aside={file.holders && <Holders {...file.holders} counts={counts} />}
          >
            {differs(file) && <ScanNote {...file} />}
          </FileRow>
        )}
      />
    </section>
  );
}

/** Says who has all of the files, as far as that is so for every file. */
function describeHolders(
  t: (key: string, params?: Record<string, number>) => string,
  { receivers, downloaded, opened }: HolderCounts,
): string {
  if (downloaded > 0 && downloaded === receivers) return t('delivery.everyoneHasAll', { count: receivers });
  if (downloaded > 0) return t('delivery.holdAll', { count: downloaded });
  return t(opened > 0 ? 'delivery.nobodyHasAll' : 'delivery.nobodyHasAny');
}

function Holders(props: FileHolders & { counts: HolderCounts }): JSX.Element | null {
  const translator = useTranslator();
  const { deliveredCount, deliveredTo, partlyCount, partlyTo, counts } = props;
  // The head of the list has counted those who have every file.
  const others = deliveredCount - counts.downloaded;
  if (others <= 0 && partlyCount === 0) return null;
  const named = deliveredTo.slice(0, others);
  const names = named.map((person) => isolate(namePerson(person))).join(', ');
  const more = others - named.length;
  return (
    <div class="holders small">
      {others > 0 && (
        <p class="holders-all">
          <Icon name="check" small />
          <span>
            {deliveredCount === counts.receivers && counts.receivers > 1
              ? translator.t('delivery.everyone')
              : more > 0
                ? translator.t('delivery.namesAndMore', { names, count: more })
                : names}
          </span>
        </p>
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
