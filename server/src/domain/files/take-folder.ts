import { type FileInFolder, findFolder } from '@waybill/protocol';
import { ExchangeError } from '../exchange-error.ts';

/** Finds a folder with the files in it and in all folders inside. */
export function takeFolder<F extends FileInFolder>(
  files: readonly F[],
  key: string,
): { readonly path: string; readonly files: F[] } {
  const path = findFolder(files, key);
  if (path === undefined) throw new ExchangeError('not_found');
  return { path, files: files.filter((file) => file.path.startsWith(path)) };
}
