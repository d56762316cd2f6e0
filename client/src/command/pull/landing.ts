import { createHash } from 'node:crypto';
import { lstat, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { localNameKey, numberedName, safeLocalPath } from '../../generated/safe-name.ts';
import { syncFolder } from '../../transfer/download-to-file.ts';
import { moveUnlessExists, pathExists, wasMoved } from '../../transfer/move-unless-exists.ts';
import type { JournalEntry, PullJournal } from './pull-journal.ts';

/** Where a file is until it is complete. The name is a digest, which is valid whatever the file is called. */
export function partPath(journal: PullJournal, { url, name }: Pick<JournalEntry, 'url' | 'name'>): string {
  const key = createHash('sha256')
    .update(JSON.stringify([url, name]))
    .digest('hex');
  return join(journal.folder, `${key.slice(0, 40)}.part`);
}

/** A part that is the whole file, and the path below the folder that it should get. */
export interface CompletePart {
  path: string;
  sha256: string;
  size: number;
}

/**
 * Gives a complete part its place in the folder, and returns its path below the folder. Where its folders cannot be
 * created or written to, it goes into the folder itself: what a sender calls a folder must not stop a pull.
 */
export async function land(
  folder: string,
  journal: PullJournal,
  entry: JournalEntry,
  whole: CompletePart,
): Promise<string> {
  const names = safeLocalPath(whole.path).map(toVisibleName);
  const name = names.pop() as string;
  try {
    return await moveIntoPlace(folder, journal, entry, whole, [...(await createFolders(folder, journal, names)), name]);
  } catch (error) {
    if (names.length === 0 || !unusableFolderErrors.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    return moveIntoPlace(folder, journal, entry, whole, [name]);
  }
}

const unusableFolderErrors: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EROFS', 'ENAMETOOLONG', 'ENOTDIR']);

/** A hidden file or folder may be one that a program reads, such as `.bash_profile` or `.ssh`. */
function toVisibleName(name: string): string {
  return name.replace(/^\./, '_');
}

/** The journal has the path first, so that `hasLanded` can tell after a crash. */
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
    journal.recordLanding(entry.id, path, whole);
    if (!(await moveUnlessExists(partPath(journal, entry), join(folder, path)))) continue;
    await syncLanded(folder, journal, path);
    return path;
  }
}

/** Whether a file whose landing was interrupted has got its name: then its part is gone, or is the same file. */
export async function hasLanded(folder: string, journal: PullJournal, entry: JournalEntry): Promise<boolean> {
  const path = entry.path ?? '';
  if (!wasMoved(partPath(journal, entry), join(folder, path))) return false;
  await syncLanded(folder, journal, path);
  return true;
}

async function syncLanded(folder: string, journal: PullJournal, path: string): Promise<void> {
  await syncFolder(join(folder, dirname(path)));
  await syncFolder(journal.folder);
}

/**
 * Makes folders, one in the other, and answers their names. Only a real folder is entered, and never the journal's own: where
 * something else has the name, such as a link that leads elsewhere, the folder gets a number.
 */
async function createFolders(root: string, journal: PullJournal, names: readonly string[]): Promise<string[]> {
  const entered: string[] = [];
  for (const name of names) {
    const parent = join(root, ...entered);
    for (let number = 1; ; number += 1) {
      const candidate = numberedName(name, number);
      const path = join(parent, candidate);
      if (localNameKey(path) === localNameKey(journal.folder)) continue;
      if (await createFolder(path)) await syncFolder(parent);
      else if (!(await lstat(path)).isDirectory()) continue;
      entered.push(candidate);
      break;
    }
  }
  return entered;
}

/** Answers whether it was made; otherwise something is there. */
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
 * Whether the folder has a file of this path, or one pulled before whose path differs only in case or invisible
 * characters: on another system, or to a reader, one would hide the other.
 */
async function isTaken(folder: string, journal: PullJournal, path: string): Promise<boolean> {
  for (const other of [path, ...journal.findSimilarPaths(path)]) {
    if (await pathExists(join(folder, other))) return true;
  }
  return false;
}
