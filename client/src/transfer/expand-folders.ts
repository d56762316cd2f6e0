import { readdir, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { WaybillError } from '../errors.ts';
import type { FileToSend } from './sources.ts';

/** The limits of the server. */
const maxFiles = 1_000;
const maxDepth = 32;

/** Replaces each folder by its files. They keep their paths, which begin with the folder's name. */
export async function expandFolders(files: readonly FileToSend[]): Promise<FileToSend[]> {
  const found: FileToSend[] = [];
  for (const file of files) {
    const path = typeof file === 'string' ? file : 'path' in file ? file.path : undefined;
    const isFolder = path !== undefined && (await stat(path).catch(() => undefined))?.isDirectory() === true;
    if (!isFolder) {
      found.push(file);
      continue;
    }
    const name = (typeof file === 'object' && 'name' in file && file.name) || basename(resolve(path));
    const before = found.length;
    await addFolder(found, path, name, 1);
    if (found.length === before) throw new WaybillError('no_files', `${path} contains no files.`);
  }
  return found;
}

/** Adds files sorted by name, so that a repeated send has the same files in the same order. */
async function addFolder(found: FileToSend[], folder: string, name: string, depth: number): Promise<void> {
  if (depth >= maxDepth)
    throw new WaybillError('invalid_argument', `${folder} has too many nested folders. Send an archive of it instead.`);
  const entries = await readdir(folder, { withFileTypes: true });
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await addFolder(found, path, `${name}/${entry.name}`, depth + 1);
    else if (entry.isFile()) found.push({ path, name: `${name}/${entry.name}` });
    // A link may lead to a file that nobody meant to send, and a pipe may never end.
    else
      throw new WaybillError(
        'invalid_argument',
        `${path} is ${entry.isSymbolicLink() ? 'a symbolic link' : 'not a file'}. Remove it from the folder, or send an archive.`,
      );
    if (found.length > maxFiles) {
      throw new WaybillError(
        'too_many_files',
        `A drop can have at most ${maxFiles} files. Send an archive of ${folder} instead.`,
      );
    }
  }
}
