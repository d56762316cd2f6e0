import { linkSync, lstatSync, unlinkSync } from 'node:fs';
import { lstat, open, rename, rm } from 'node:fs/promises';

/**
 * Moves a file within a file system, unless the target exists. Returns whether it was moved. Unlike a check followed by
 * a rename, this cannot replace a file that appears in between.
 *
 * `hardLink` is replaced by tests of file systems that have no hard links.
 */
export async function moveUnlessExists(
  from: string,
  to: string,
  hardLink: typeof linkSync = linkSync,
): Promise<boolean> {
  try {
    hardLink(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    // File systems without hard links report this in many ways. Any other problem makes the next step fail, too.
    return await moveOverReservation(from, to);
  }
  // Directly after the link: a process that is killed in between leaves both names, which wasMoved detects.
  unlinkSync(from);
  return true;
}

/**
 * Returns whether moveUnlessExists had moved the file when the process was killed. A reservation does not count: it is
 * a different, empty file. Removes the old name if both names exist.
 */
export function wasMoved(from: string, to: string): boolean {
  const [old, moved] = [from, to].map((path) => lstatSync(path, { bigint: true, throwIfNoEntry: false }));
  if (old === undefined) return true;
  if (old.ino !== moved?.ino || old.dev !== moved.dev) return false;
  unlinkSync(from);
  return true;
}

/**
 * Reserves the path with an empty file, which fails if the path exists, and replaces it. Readers may see the empty
 * file, but never a part of the file. A process that is killed in between leaves the empty file.
 */
async function moveOverReservation(from: string, to: string): Promise<boolean> {
  try {
    await (await open(to, 'wx')).close();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
  try {
    await rename(from, to);
  } catch (error) {
    await rm(to, { force: true });
    throw error;
  }
  return true;
}

export async function pathExists(path: string): Promise<boolean> {
  return await lstat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false;
      throw error;
    },
  );
}
