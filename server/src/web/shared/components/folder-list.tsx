import type { ComponentChildren, JSX } from 'preact';
import { splitPath } from '../../../present/texts/file-order.ts';
import { type Folder, type FolderFile, toFolderTree } from '../../../present/texts/folder-tree.ts';
import { oneLine } from '../../../present/texts/plain.ts';
import { useTranslator } from '../../../present/texts/translator-context.ts';
import { IconLink } from './button.tsx';
import { Icon } from './icon.tsx';
import { Rows } from './rows.tsx';

/** With more files than this, folders are closed at first. */
const comfortable = 20;

export interface FolderListProps<F> {
  /** Draws a file. */
  readonly row: (file: F, name: string) => JSX.Element;
  /** Whether the reader has to see the file: its folders are open then. */
  readonly isNoteworthy?: ((file: F) => boolean) | undefined;
  /** Whether the reader has the file. */
  readonly isDone?: ((file: F) => boolean) | undefined;
  /** A checkbox that chooses a folder, before its line. */
  readonly pick?: ((folder: Folder<F>) => ComponentChildren) | undefined;
  /** Actions on a folder, beside its line: never inside the line, which is a button itself. */
  readonly actions?: ((folder: Folder<F>) => ComponentChildren) | undefined;
}

/** Files in their folders, sorted as people count. */
export function FolderList<F extends FolderFile>(props: FolderListProps<F> & { files: readonly F[] }): JSX.Element {
  const { files, ...list } = props;
  const root = toFolderTree(files, useTranslator().locale);
  return (
    <div class="folders">
      <FolderContent {...list} folder={root} opens={files.length <= comfortable} />
    </div>
  );
}

/** The files of a folder, and then the folders inside; one with more than a page takes is a link to a page of its own. */
export function FolderContent<F extends FolderFile>(
  props: FolderListProps<F> & {
    folder: Pick<Folder<F>, 'files' | 'folders'>;
    opens?: boolean;
    hrefOf?: ((folder: Folder<F>) => string) | undefined;
  },
): JSX.Element {
  const { folder, row, opens = false, hrefOf, ...list } = props;
  return (
    <>
      {folder.files.length > 0 && (
        <ul class="files">
          <Rows items={folder.files} row={(file) => row(file, splitPath(file.path)[1])} />
        </ul>
      )}
      <Rows
        hasLists={!hrefOf}
        items={folder.folders}
        row={(inner) => (
          <div class="folder-line" key={inner.path}>
            {list.pick?.(inner)}
            {list.actions && <div class="folder-actions">{list.actions(inner)}</div>}
            {hrefOf ? (
              <a class="folder folder-link" href={hrefOf(inner)}>
                <FolderAbout folder={inner} isDone={list.isDone} isNoteworthy={list.isNoteworthy} />
              </a>
            ) : (
              <details class="folder" open={opens || inner.all.some((file) => list.isNoteworthy?.(file))}>
                <summary>
                  <FolderAbout folder={inner} isDone={list.isDone} />
                </summary>
                <FolderContent {...list} folder={inner} row={row} opens={opens} />
              </details>
            )}
          </div>
        )}
      />
    </>
  );
}

/** The name of a folder, and how much is in it. */
export function FolderAbout<F extends FolderFile>(props: {
  folder: Folder<F>;
  isDone?: ((file: F) => boolean) | undefined;
  /** Counts the files to be seen, which are on another page. */
  isNoteworthy?: ((file: F) => boolean) | undefined;
}): JSX.Element {
  const translator = useTranslator();
  const { folder, isDone } = props;
  const noteworthy = props.isNoteworthy ? folder.all.filter(props.isNoteworthy).length : 0;
  const [outer, name] = splitPath(oneLine(folder.name));
  const count = translator.formatNumber(folder.all.length);
  const sizeBytes = folder.all.reduce((sum, file) => sum + file.sizeBytes, 0);
  return (
    <>
      <Icon name="folder" />
      <span class="folder-name">
        {outer && <bdi class="folder-outer">{outer}</bdi>}
        <bdi>{name}</bdi>
        {isDone && (
          <span class="done small" hidden={!folder.all.every(isDone)}>
            <Icon name="check" small />
            <span class="unseen">{translator.t('download.done')} </span>
            {translator.t('download.folderDone', { done: count, total: count })}
          </span>
        )}
        {noteworthy > 0 && (
          <span class="scan scan-unscanned small">
            <Icon name="alert" small />
            {translator.t('scan.unscannedCount', { count: noteworthy })}
          </span>
        )}
      </span>
      <span class="folder-size small quiet">
        {translator.t('sent.count', { count: folder.all.length })} <span>{translator.formatSize(sizeBytes)}</span>
      </span>
    </>
  );
}

/** Downloads a folder with everything inside as a ZIP. */
export function DownloadFolder(props: { folder: Folder<FolderFile>; href: string }): JSX.Element {
  const translator = useTranslator();
  const name = oneLine(props.folder.path.slice(0, -1));
  return (
    <IconLink
      icon="download"
      href={props.href}
      download
      label={translator.t('folder.download', { name })}
      title={translator.t('folder.downloadShort')}
    />
  );
}
