import { splitPath } from './components/file-name.tsx';

/** Compares paths as people read them: by folder, then by name, and 2 before 10. */
export function comparePaths(locale: string): (one: string, other: string) => number {
  const { compare } = new Intl.Collator(locale, { numeric: true });
  const compareFolders = (one: readonly string[], other: readonly string[]): number => {
    for (const [index, folder] of one.entries()) {
      const order = compare(folder, other[index] ?? '');
      if (order !== 0) return order;
    }
    return one.length - other.length;
  };
  return (one, other) => {
    const [[folder, name], [otherFolder, otherName]] = [splitPath(one), splitPath(other)];
    return compareFolders(folder.split('/'), otherFolder.split('/')) || compare(name, otherName);
  };
}

/** Sorts files by their paths; those in no folder come first. */
export function sortByPath<F>(files: readonly F[], locale: string, pathOf: (file: F) => string): F[] {
  const compare = comparePaths(locale);
  return files.toSorted((one, other) => compare(pathOf(one), pathOf(other)));
}
