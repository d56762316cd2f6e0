import { mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/**
 * Creates a folder and the missing ones above it, one by one: the recursive `mkdir` of Node never ends in a file system
 * that has no new folders, such as /proc.
 */
export async function makeFolder(path: string, mode = 0o777): Promise<void> {
  const folder = resolve(path);
  const parent = dirname(folder);
  if (await isFolder(folder)) return;
  if (parent !== folder && !(await pathExists(parent))) await makeFolder(parent, mode);
  await mkdir(folder, { mode }).catch(async (error: NodeJS.ErrnoException) => {
    // Another process may have created it in between.
    if (error.code !== 'EEXIST' || !(await isFolder(folder))) throw error;
  });
}

async function isFolder(path: string): Promise<boolean> {
  return await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

async function pathExists(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT',
  );
}
