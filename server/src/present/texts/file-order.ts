/** Splits a path into the folder, ending with a slash if there is one, and the name. */
export function splitPath(path: string): [folder: string, name: string] {
  const at = path.lastIndexOf('/') + 1;
  return [path.slice(0, at), path.slice(at)];
}

/** Compares paths as people read them: by folder, then by name, and 2 before 10. */
export function comparePaths(locale: string): (one: string, other: string) => number {
  const { compare } = collate(locale);
  return (one, other) => {
    const [[folder, name], [otherFolder, otherName]] = [splitPath(one), splitPath(other)];
    return compareFolders(compare, folder.split('/'), otherFolder.split('/')) || compare(name, otherName);
  };
}

/**
 * Sorts files by their paths; those in no folder come first. Each folder is compared once and not for each of its files,
 * because comparing is slow and a list may be long.
 */
export function sortByPath<F>(files: readonly F[], locale: string, pathOf: (file: F) => string): F[] {
  const { compare } = collate(locale);
  const groups = new Map<string, { name: string; file: F }[]>();
  for (const file of files) {
    const [folder, name] = splitPath(pathOf(file));
    const group = groups.get(folder);
    if (group) group.push({ name, file });
    else groups.set(folder, [{ name, file }]);
  }
  return Array.from(groups, ([folder, group]) => ({ folders: folder.split('/'), group }))
    .sort((one, other) => compareFolders(compare, one.folders, other.folders))
    .flatMap(({ group }) => group.sort((one, other) => compare(one.name, other.name)).map(({ file }) => file));
}

function collate(locale: string): Intl.Collator {
  return new Intl.Collator(locale, { numeric: true });
}

type Compare = Intl.Collator['compare'];

function compareFolders(compare: Compare, folders: readonly string[], others: readonly string[]): number {
  const first = folders.findIndex((folder, index) => folder !== others[index]);
  for (let index = first; index >= 0 && index < folders.length; index += 1) {
    const order = compare(folders[index] as string, others[index] ?? '');
    if (order !== 0) return order;
  }
  return folders.length - others.length;
}
