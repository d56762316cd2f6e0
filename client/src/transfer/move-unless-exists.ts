import { linkSync, lstatSync, unlinkSync } from 'node:fs';
import { lstat, open, rename, rm } from 'node:fs/promises';

/**
 * Moves a file to a path within the same file system, unless something is there. Returns whether it did. Unlike a
 * check followed by a rename, this cannot replace a file that appears meanwhile.
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
    // File systems without hard links report this in many ways. If it is another problem, the next step has it too.
    return await moveOverReservation(from, to);
  }
  // Directly after the link: a process that is killed in between leaves both names, which wasMoved recognises.
  unlinkSync(from);
  return true;
}

/**
 * Whether moveUnlessExists had moved the file when the process was killed. A reservation does not count: it is an empty file of
 * its own. Removes the old name where both names are left.
 */
export function wasMoved(from: string, to: string): boolean {
  const [old, moved] = [from, to].map((path) => lstatSync(path, { bigint: true, throwIfNoEntry: false }));
  if (old === undefined) return true;
  if (old.ino !== moved?.ino || old.dev !== moved.dev) return false;
  unlinkSync(from);
  return true;
}

/**
 * Creates an empty file that reserves the path, which fails where something is there, and replaces it. Whoever looks
 * sees an empty file for a moment, but never a part of the file. A process that is killed in between leaves the empty file.
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
