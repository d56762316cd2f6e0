import { sortByPath, splitPath } from './file-order.ts';

export interface FolderFile {
  readonly path: string;
  readonly sizeBytes: number;
}

export interface Folder<F> {
  /** Ends with a slash; empty for what is in no folder. */
  readonly path: string;
  /** The path from the folder around it, without a slash at its end: several names if there is nothing beside the inner one. */
  readonly name: string;
  readonly folders: readonly Folder<F>[];
  /** The files directly inside, sorted as people count. */
  readonly files: readonly F[];
  /** The files inside and in all folders inside. */
  readonly all: readonly F[];
}

/** Folders that are deeper are listed beside one another, so that no page is nested as deep as a path can be. */
const deepest = 6;

/** The files by their folders, which are in the order of `sortByPath`. */
export function toFolderTree<F extends FolderFile>(files: readonly F[], locale: string): Folder<F> {
  const sorted = sortByPath(files, locale, ({ path }) => path);
  const groups = groupBy(sorted, ({ path }) => splitPath(path)[0]);
  return build(
    Array.from(groups, ([path, group]) => ({ names: path.split('/').slice(0, -1), files: group })),
    [],
    '',
    deepest,
  );
}

interface Group<F> {
  readonly names: readonly string[];
  readonly files: readonly F[];
}

/** Builds the folder with these names from the groups below it. */
function build<F>(groups: readonly Group<F>[], names: readonly string[], name: string, levels: number): Folder<F> {
  const depth = names.length;
  const inner = groupBy(
    groups.filter((group) => group.names.length > depth),
    (group) => (levels === 0 ? group.names.slice(depth).join('/') : group.names[depth]),
  );
  return {
    path: names.map((each) => `${each}/`).join(''),
    name,
    files: groups.find((group) => group.names.length === depth)?.files ?? [],
    folders: Array.from(inner.values(), (below) => {
      const end = findEnd(below);
      return build(below, end, end.slice(depth).join('/'), Math.max(levels - 1, 0));
    }),
    all: groups.flatMap((group) => group.files),
  };
}

/** The names that all of the groups begin with, of which the first has the fewest if it contains the others. */
function findEnd(groups: readonly Group<unknown>[]): readonly string[] {
  const [first, ...others] = groups.map(({ names }) => names);
  const common = (first ?? []).findIndex((name, index) => others.some((names) => names[index] !== name));
  return common < 0 ? (first ?? []) : (first ?? []).slice(0, common);
}

/** `Map.groupBy`, which browsers of people who are sent files may not have yet. */
function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string | undefined): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item) ?? '';
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}
