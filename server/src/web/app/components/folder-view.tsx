import { findFolder, toFolderKey } from '@waybill/protocol';
import type { JSX } from 'preact';
import { splitPath } from '../../../present/texts/file-order.ts';
import { type Folder, type FolderFile, toFolderTree } from '../../../present/texts/folder-tree.ts';
import { oneLine } from '../../../present/texts/plain.ts';
import { useTranslator } from '../../../present/texts/translator-context.ts';
import { FolderContent, type FolderListProps } from '../../shared/components/folder-list.tsx';
import { type RangePage, RangePager, takePage } from './range-pager.tsx';

/** With more files than this, a page shows one folder at a time, and of that so many files and folders. */
const shownWhole = 100;
const shownAtOnce = 50;
/** With more files than this, folders are closed at first. */
const comfortable = 20;

/** The part of a delivery's files that a URL asks for. */
export interface FolderPlace {
  /** The key of the folder; undefined: all files. */
  readonly folder?: string | undefined;
  /** The file or the key of the folder before the page; undefined: from the first. */
  readonly after?: string | undefined;
}

export interface FolderView<F> {
  readonly files: readonly F[];
  readonly folders: readonly Folder<F>[];
  /** The folders on the way to this one, and itself. */
  readonly way: readonly Folder<F>[];
  /** Whether all files are in the view, those in folders below them. */
  readonly isWhole: boolean;
  readonly range: Omit<RangePage<string>, 'items'> & { readonly shown: number };
}

type KeyedFile = FolderFile & { readonly id: string };

/** The files of a few folders together, or the files and folders of one: never more than a page can bear. */
export function toFolderView<F extends KeyedFile>(
  all: readonly F[],
  locale: string,
  { folder, after }: FolderPlace,
): FolderView<F> {
  const root = toFolderTree(all, locale);
  if (all.length <= shownWhole) {
    const range = { from: 0, of: all.length, shown: all.length };
    return { files: root.files, folders: root.folders, way: [], isWhole: true, range };
  }
  const way = findWay(root, folder);
  const shown = way.at(-1) ?? root;
  const keys = [...shown.files.map(({ id }) => id), ...shown.folders.map(keyOf)];
  const { items, ...range } = takePage(keys, shownAtOnce, (key) => key === after);
  const wanted = new Set(items);
  return {
    files: shown.files.filter(({ id }) => wanted.has(id)),
    folders: shown.folders.filter((inner) => wanted.has(keyOf(inner))),
    way,
    isWhole: false,
    range: { ...range, shown: items.length },
  };
}

export function keyOf({ path, all }: Folder<KeyedFile>): string {
  return all[0] ? toFolderKey(path, all[0]) : '';
}

/** The folders that lead to the one with this key; none for a folder that is not there any more. */
function findWay<F extends KeyedFile>(root: Folder<F>, key = ''): Folder<F>[] {
  const wanted = findFolder(root.all, key) ?? '';
  const way: Folder<F>[] = [];
  for (let around = root; around.path.length < wanted.length; ) {
    const next = around.folders.find(({ path }) => wanted.startsWith(path) || path.startsWith(wanted));
    if (!next) return [];
    way.push(next);
    around = next;
  }
  return way;
}

export function FolderViewList<F extends KeyedFile>(
  props: FolderListProps<F> & {
    view: FolderView<F>;
    hrefOf: (place: FolderPlace) => string;
    /** The part of the screen that the list is in. */
    anchor: string;
  },
): JSX.Element {
  const { view, hrefOf, anchor, ...list } = props;
  const key = view.way.length > 0 ? keyOf(view.way.at(-1) as Folder<F>) : undefined;
  const toFolder = (folder: string | undefined) => `${hrefOf({ folder })}#${anchor}`;
  return (
    <div class="folders">
      <Way way={view.way} hrefOf={toFolder} />
      <FolderContent
        {...list}
        folder={view}
        opens={view.range.of <= comfortable}
        hrefOf={view.isWhole ? undefined : (folder) => toFolder(keyOf(folder))}
      />
      <RangePager {...view.range} hrefAfter={(after) => hrefOf({ folder: key, after })} anchor={anchor} />
    </div>
  );
}

/** Leads back to the folders around the one that is shown. */
function Way(props: {
  way: readonly Folder<KeyedFile>[];
  hrefOf: (folder: string | undefined) => string;
}): JSX.Element | null {
  const translator = useTranslator();
  const { way, hrefOf } = props;
  if (way.length === 0) return null;
  return (
    <nav class="crumbs" aria-label={translator.t('folder.way')}>
      <ol>
        <li>
          <a href={hrefOf(undefined)}>{translator.t('folder.all')}</a>
        </li>
        {way.map((folder, index) => {
          const name = <bdi>{oneLine(splitPath(folder.name)[1])}</bdi>;
          return (
            <li key={folder.path} aria-current={index === way.length - 1 ? 'page' : undefined}>
              {index === way.length - 1 ? <strong>{name}</strong> : <a href={hrefOf(keyOf(folder))}>{name}</a>}
            </li>
          );
        })}
      </ol>
    </nav>
  );
}
