import { createHash } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isWaybillError, WaybillError } from '../errors.ts';
import type { ApiClient } from '../http/api-client.ts';
import { type Beginning, type Download, type DownloadOptions, openDownload, type RemoteFile } from './download.ts';
import { moveUnlessExists, pathExists } from './move-unless-exists.ts';
import { nameTarget } from './name-target.ts';

/** Options of a download to a path. */
export interface DownloadToFileOptions extends DownloadOptions {
  /** Replaces an existing file. By default, the call fails if the path exists. */
  overwrite?: boolean | undefined;
}

/** A file that is complete, checked and on disk. */
export interface DownloadedFile {
  /** The path of the file. */
  path: string;
  /** The size in bytes. */
  size: number;
  /** The SHA-256 in hexadecimal. */
  sha256: string;
}

/** The network delivers small pieces, which are collected before they are written. */
const writeBytes = 1024 * 1024;

/**
 * Downloads a file to a path. The file is written under another name in the same folder, and renamed once it is
 * complete, checked and on disk. An incomplete file never has the final name.
 *
 * @internal
 */
export async function downloadToFile(
  api: ApiClient,
  file: RemoteFile,
  path: string,
  options: DownloadToFileOptions = {},
): Promise<DownloadedFile> {
  if (options.overwrite !== true && (await pathExists(path))) throw targetExistsError(path);
  const part = join(dirname(path), `.waybill-${api.generateKey()}.part`);
  try {
    const { size, sha256 } = await nameTarget(path, downloadPart(api, file, part, options));
    if (options.overwrite === true) await rename(part, path);
    else if (!(await moveUnlessExists(part, path))) throw targetExistsError(path);
    await syncFolder(dirname(path));
    return { path, size, sha256 };
  } finally {
    await rm(part, { force: true });
  }
}

/**
 * Downloads a file into a part file, which an earlier download may have started. When it returns, the part is the whole
 * file, checked and on disk.
 *
 * @internal
 */
export async function downloadPart(
  api: ApiClient,
  file: RemoteFile,
  part: string,
  options: DownloadOptions,
): Promise<Pick<Download, 'path' | 'size' | 'sha256'>> {
  const handle = await open(part, 'a+');
  try {
    const beginning = await readBeginning(handle);
    try {
      return await writeDownload(handle, await openDownload(api, file, options, beginning));
    } catch (error) {
      // The existing part does not belong to the server's file.
      const useless = isWaybillError(error, 'digest_mismatch', 'range_not_satisfiable');
      if (useless) await handle.truncate(0);
      if (!useless || beginning.bytes === 0) throw error;
    }
    return await writeDownload(handle, await openDownload(api, file, options));
  } finally {
    await handle.close();
  }
}

/** Fills one buffer while the other one is written, so that the memory of received pieces is released at once. */
async function writeDownload(handle: FileHandle, { bytes, path, size, sha256 }: Download) {
  let [current, other] = [Buffer.allocUnsafeSlow(writeBytes), Buffer.allocUnsafeSlow(writeBytes)];
  let filled = 0;
  let writing: Promise<unknown> = Promise.resolve();
  const write = async () => {
    await writing;
    writing = handle.appendFile(current.subarray(0, filled));
    writing.catch(() => undefined); // reported when it is awaited
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
    // Received bytes are kept even if the download failed.
    await write();
    await writing;
  }
  await handle.sync();
  return { path, size, sha256 };
}

/** Drops the last byte: the range that follows a complete part would not be satisfiable. */
async function readBeginning(handle: FileHandle): Promise<Beginning> {
  const { size } = await handle.stat();
  const bytes = Math.max(0, size - 1);
  const hash = createHash('sha256');
  if (size === 0) return { bytes, hash };
  await handle.truncate(bytes);
  const stream = handle.createReadStream({ start: 0, autoClose: false, highWaterMark: writeBytes });
  for await (const piece of stream as AsyncIterable<Buffer>) hash.update(piece);
  return { bytes, hash };
}

/** Syncs a folder, which makes the names of new files durable. */
export async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return; // folders cannot be opened on Windows
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** @internal */
export function targetExistsError(path: string): WaybillError {
  return new WaybillError('target_exists', `${path} exists already.`);
}
