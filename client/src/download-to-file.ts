import { createHash } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  type Beginning,
  type Download,
  type DownloadNeeds,
  type DownloadOptions,
  type InboxFile,
  openDownload,
} from './download.ts';
import { isWaybillError, WaybillError } from './errors.ts';
import { isThere, moveToNew } from './move-to-new.ts';

export interface DownloadToFileOptions extends DownloadOptions {
  /** Replace what is at the path. Without it, the call fails if something is there. */
  overwrite?: boolean | undefined;
}

export interface DownloadedFile {
  path: string;
  sizeBytes: number;
  /** SHA-256 in hexadecimal. */
  sha256: string;
}

/** Pieces come as small as the network gives them; they are written in larger ones. */
const writeBytes = 1024 * 1024;

/**
 * Fetches a file to a path. It is written under another name in the same folder, and takes its own when it is complete,
 * checked and on the disk: under the final name there is never a part of it.
 *
 * @internal
 */
export async function downloadToFile(
  needs: DownloadNeeds,
  file: InboxFile,
  path: string,
  options: DownloadToFileOptions = {},
): Promise<DownloadedFile> {
  if (options.overwrite !== true && (await isThere(path))) throw exists(path);
  const part = join(dirname(path), `.waybill-${needs.surroundings.uuid()}.part`);
  try {
    const { sizeBytes, sha256 } = await downloadPart(needs, file, part, options);
    if (options.overwrite === true) await rename(part, path);
    else if (!(await moveToNew(part, path))) throw exists(path);
    await syncFolder(dirname(path));
    return { path, sizeBytes, sha256 };
  } finally {
    await rm(part, { force: true });
  }
}

/**
 * Fetches a file into a part that may be there from before, in this process or an earlier one. When it returns, the
 * part is the whole file, checked and on the disk.
 *
 * @internal
 */
export async function downloadPart(
  needs: DownloadNeeds,
  file: InboxFile,
  part: string,
  options: DownloadOptions,
): Promise<Omit<DownloadedFile, 'path'>> {
  const handle = await open(part, 'a+');
  try {
    const beginning = await beginningOf(handle);
    try {
      return await fill(handle, await openDownload(needs, file, options, beginning));
    } catch (error) {
      // What was there does not fit to what the server has.
      const useless = isWaybillError(error, 'digest_mismatch', 'range_not_satisfiable');
      if (useless) await handle.truncate(0);
      if (!useless || beginning.bytes === 0) throw error;
    }
    return await fill(handle, await openDownload(needs, file, options));
  } finally {
    await handle.close();
  }
}

/** Two buffers, of which one is written while the other one is filled: what arrives is let go at once. */
async function fill(handle: FileHandle, { bytes, sizeBytes, sha256 }: Download) {
  let [current, other] = [Buffer.allocUnsafeSlow(writeBytes), Buffer.allocUnsafeSlow(writeBytes)];
  let filled = 0;
  let writing: Promise<unknown> = Promise.resolve();
  const write = async () => {
    await writing;
    writing = handle.appendFile(current.subarray(0, filled));
    writing.catch(() => undefined); // seen when the next one waits for it
    [current, other] = [other, current];
    filled = 0;
  };
  try {
    for await (const piece of bytes) {
      for (let taken = 0; taken < piece.length; ) {
        const length = Math.min(piece.length - taken, writeBytes - filled);
        current.set(piece.subarray(taken, taken + length), filled);
        filled += length;
        taken += length;
        if (filled === writeBytes) await write();
      }
    }
  } finally {
    // What has arrived is kept, whatever ended it.
    await write();
    await writing;
  }
  await handle.sync();
  return { sizeBytes, sha256 };
}

/** Less the last byte: a part that is complete already would otherwise ask for a range that does not exist. */
async function beginningOf(handle: FileHandle): Promise<Beginning> {
  const { size } = await handle.stat();
  const bytes = Math.max(0, size - 1);
  const hash = createHash('sha256');
  if (size === 0) return { bytes, hash };
  await handle.truncate(bytes);
  const stream = handle.createReadStream({ start: 0, autoClose: false, highWaterMark: writeBytes });
  for await (const piece of stream as AsyncIterable<Buffer>) hash.update(piece);
  return { bytes, hash };
}

/** A new name is on the disk when its folder is. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return; // there a folder cannot be opened
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function exists(path: string): WaybillError {
  return new WaybillError('target_exists', `${path} is there already; name another path, or overwrite it.`);
}
