import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { isWaybillError, WaybillError } from '../errors.ts';
import { safeLocalPaths } from '../generated/safe-name.ts';
import type { InboxEntryDetails, InboxFile } from '../generated/wire.ts';
import type { ApiClient } from '../http/api-client.ts';
import { type Download, type DownloadOptions, openDownload, toRemoteFile } from '../transfer/download.ts';
import { type DownloadedFile, downloadToFile } from '../transfer/download-to-file.ts';
import { makeFolder } from '../transfer/make-folder.ts';

/** An entry of the inbox that a handler works on, whose lease is held. */
export interface WorkEntry extends InboxEntryDetails {
  /**
   * Aborted when the work is to stop, or when the lease is lost. Downloads of the entry end by themselves. A handler that
   * returns is acknowledged, so throw if the work is not finished, as with `signal.throwIfAborted()`.
   */
  readonly signal: AbortSignal;
  /** Downloads one of the files as a stream of bytes, which are checked against its digest. */
  download(file: InboxFile, options?: Pick<DownloadOptions, 'onProgress'>): Promise<Download>;
  /**
   * Downloads one of the files to a folder, in the folders in which it was sent, where it appears once it is complete,
   * checked and on disk. Names are made safe. If the same file is there, from an earlier attempt, it is kept; another file
   * of that name is never replaced, so use a folder for each entry, or names of your own.
   */
  downloadToFolder(
    file: InboxFile,
    folder: string,
    options?: Pick<DownloadOptions, 'onProgress'>,
  ): Promise<DownloadedFile>;
}

/** @internal */
export function toWorkEntry(api: ApiClient, details: InboxEntryDetails, signal: AbortSignal): WorkEntry {
  const { id: entry, files } = details;
  let paths: ReadonlyMap<string, string> | undefined;
  return {
    ...details,
    signal,
    download: (file, options) => openDownload(api, toRemoteFile({ ...file, entry }), { ...options, signal }),
    async downloadToFolder(file, folder, options) {
      paths ??= toSafePaths(files);
      const safePath = paths.get(file.id);
      if (safePath === undefined) {
        throw new WaybillError('invalid_argument', `The entry has no file with the id ${file.id}.`);
      }
      const path = join(folder, ...safePath.split('/'));
      await makeFolder(dirname(path));
      try {
        return await downloadToFile(api, toRemoteFile({ ...file, entry }), path, { ...options, signal });
      } catch (error) {
        if (!isWaybillError(error, 'target_exists') || (await digestFile(path)) !== file.sha256) throw error;
        return { path, size: file.size, sha256: file.sha256 };
      }
    },
  };
}

/** Returns the paths by the ids of the files. An entry can have a thousand. */
function toSafePaths(files: readonly InboxFile[]): Map<string, string> {
  const paths = safeLocalPaths(files.map(({ path }) => path));
  return new Map(files.map(({ id }, index) => [id, paths[index] ?? '']));
}

async function digestFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
