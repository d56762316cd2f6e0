import { createHash } from 'node:crypto';
import { lstat, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { localNameKey, numberedName, safeLocalPath } from '../../generated/safe-name.ts';
import { syncFolder } from '../../transfer/download-to-file.ts';
import { moveUnlessExists, pathExists, wasMoved } from '../../transfer/move-unless-exists.ts';
import type { JournalEntry, PullJournal } from './pull-journal.ts';

/** Returns the path of a file until it is complete. Its name is a digest, which is always a valid name. */
export function partPath(journal: PullJournal, { url, name }: Pick<JournalEntry, 'url' | 'name'>): string {
  const key = createHash('sha256')
    .update(JSON.stringify([url, name]))
    .digest('hex');
  return join(journal.folder, `${key.slice(0, 40)}.part`);
}

/** A complete part, and its intended path below the folder. */
export interface CompletePart {
  path: string;
  sha256: string;
  size: number;
}

/**
 * Moves a complete part to its place, and returns its path below the folder. If its folders cannot be created or
 * written to, it is placed in the folder itself: the names that a sender chose must not stop a pull.
 */
export async function placeFile(
  folder: string,
  journal: PullJournal,
  entry: JournalEntry,
  whole: CompletePart,
): Promise<string> {
  const names = safeLocalPath(whole.path).map(toVisibleName);
  const name = names.pop() as string;
  try {
    return await moveIntoPlace(folder, journal, entry, whole, [
      ...(await createFolders(folder, journal.folder, names)),
      name,
    ]);
  } catch (error) {
    if (names.length === 0 || !unusableFolderErrors.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    return moveIntoPlace(folder, journal, entry, whole, [name]);
  }
}

const unusableFolderErrors: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EROFS', 'ENAMETOOLONG', 'ENOTDIR']);

/** A hidden file or folder may be one that a program reads, such as `.bash_profile` or `.ssh`. */
export function toVisibleName(name: string): string {
  return name.replace(/^\./, '_');
}

/** Records the path in the journal first, for `isPlaced` after a crash. */
async function moveIntoPlace(
  folder: string,
  journal: PullJournal,
  entry: JournalEntry,
  whole: CompletePart,
  names: readonly string[],
): Promise<string> {
  for (let number = 1; ; number += 1) {
    const path = [...names.slice(0, -1), numberedName(names.at(-1) ?? '', number)].join('/');
    if (await isTaken(folder, journal, path)) continue;
    journal.recordPlacing(entry.id, path, whole);
    if (!(await moveUnlessExists(partPath(journal, entry), join(folder, path)))) continue;
    await syncPlaced(folder, journal, path);
    return path;
  }
}

/**
 * Returns whether a file whose placing was interrupted has its final name: its part is gone then, or is the same file.
 */
export async function isPlaced(folder: string, journal: PullJournal, entry: JournalEntry): Promise<boolean> {
  const path = entry.path ?? '';
  if (!wasMoved(partPath(journal, entry), join(folder, path))) return false;
  await syncPlaced(folder, journal, path);
  return true;
}

async function syncPlaced(folder: string, journal: PullJournal, path: string): Promise<void> {
  await syncFolder(join(folder, dirname(path)));
  await syncFolder(journal.folder);
}

/**
 * Creates nested folders, and returns their names. Only a real folder is entered, and never the command's own: if
 * something else has the name, such as a link that leads elsewhere, the folder gets a number.
 */
export async function createFolders(
  root: string,
  ownFolder: string | undefined,
  names: readonly string[],
): Promise<string[]> {
  const entered: string[] = [];
  for (const name of names) {
    const parent = join(root, ...entered);
    for (let number = 1; ; number += 1) {
      const candidate = numberedName(name, number);
      const path = join(parent, candidate);
      if (ownFolder !== undefined && localNameKey(path) === localNameKey(ownFolder)) continue;
      if (await createFolder(path)) await syncFolder(parent);
      else if (!(await lstat(path)).isDirectory()) continue;
      entered.push(candidate);
      break;
    }
  }
  return entered;
}

/** Returns false if the path exists. */
async function createFolder(path: string): Promise<boolean> {
  return await mkdir(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return false;
      throw error;
    },
  );
}

/**
 * Returns whether the path exists, or that of an earlier file which differs only in case or invisible characters: on
 * another system, or to a reader, both would be the same.
 */
async function isTaken(folder: string, journal: PullJournal, path: string): Promise<boolean> {
  for (const other of [path, ...journal.findSimilarPaths(path)]) {
    if (await pathExists(join(folder, other))) return true;
  }
  return false;
}
