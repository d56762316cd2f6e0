import type { ComponentChildren, JSX } from 'preact';
import { sortByPath, splitPath } from '../../present/texts/file-order.ts';
import { oneLine } from '../../present/texts/plain.ts';
import { useTranslator } from '../../present/texts/translator-context.ts';
import { Icon } from '../shared/components/icon.tsx';
import { Rows } from '../shared/components/rows.tsx';

export interface FolderFile {
  readonly path: string;
  readonly sizeBytes: number;
}

/** With more files than this, folders are closed at first. */
const comfortable = 20;

/** Files by folder, sorted as people read; `row` draws one of them. */
export function FolderList<F extends FolderFile>(props: {
  files: readonly F[];
  row: (file: F, name: string) => JSX.Element;
  /** Whether the reader has to see the file: its folder is open then. */
  isNoteworthy: (file: F) => boolean;
  /** Whether the reader has the file. */
  isDone: (file: F) => boolean;
}): JSX.Element {
  const { files, row, isNoteworthy, isDone } = props;
  const translator = useTranslator();
  const folders = groupByFolder(files, translator.locale);
  const rows = (group: readonly F[]) => (
    <ul class="files">
      <Rows items={group} row={(file) => row(file, splitPath(file.path)[1])} />
    </ul>
  );
  return (
    <div class="folders">
      <Rows
        items={folders}
        row={([folder, group]) =>
          folder === '' ? (
            rows(group)
          ) : (
            <Folder
              key={folder}
              path={folder}
              files={group}
              done={group.every(isDone)}
              open={files.length <= comfortable || group.some(isNoteworthy)}
            >
              {rows(group)}
            </Folder>
          )
        }
      />
    </div>
  );
}

function Folder(props: {
  path: string;
  files: readonly FolderFile[];
  /** Whether the reader has all of its files. */
  done: boolean;
  open: boolean;
  children: ComponentChildren;
}): JSX.Element {
  const translator = useTranslator();
  const [outer, name] = splitPath(oneLine(props.path.slice(0, -1)));
  const count = translator.formatNumber(props.files.length);
  const sizeBytes = props.files.reduce((sum, file) => sum + file.sizeBytes, 0);
  return (
    <details class="folder" open={props.open}>
      <summary>
        <Icon name="folder" />
        <span class="folder-name">
          {outer && <bdi class="folder-outer">{outer}</bdi>}
          <bdi>{name}</bdi>
          <span class="done small" hidden={!props.done}>
            <Icon name="check" small />
            <span class="unseen">{translator.t('download.done')} </span>
            {translator.t('download.folderDone', { done: count, total: count })}
          </span>
        </span>
        <span class="folder-size small quiet">
          {translator.t('sent.count', { count: props.files.length })} <span>{translator.formatSize(sizeBytes)}</span>
        </span>
      </summary>
      {props.children}
    </details>
  );
}

/** Groups files by the folder that they are in: those in none come first. */
export function groupByFolder<F extends FolderFile>(files: readonly F[], locale: string): [folder: string, F[]][] {
  return [
    ...Map.groupBy(
      sortByPath(files, locale, ({ path }) => path),
      ({ path }) => splitPath(path)[0],
    ),
  ];
}
