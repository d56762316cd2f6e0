import { createHash, type Hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { CallOptions } from '../call-options.ts';
import { isWaybillError, WaybillError } from '../errors.ts';
import { safeLocalPath } from '../generated/safe-name.ts';
import type { InboxFile } from '../generated/wire.ts';
import { type ApiClient, toPath } from '../http/api-client.ts';
import { readPieces, unexpectedResponse } from '../http/response.ts';

/**
 * A file to download: a file of `waybill.inbox.get(id)` together with the id of that entry, or of `waybill.drops.get(id)`
 * together with the id of that drop, which the account sent.
 */
export type FileToDownload = Pick<InboxFile, 'id' | 'name' | 'path'> &
  (
    | {
        /** The `id` of the entry. */
        entry: string;
      }
    | {
        /** The `id` of the drop. */
        drop: string;
      }
  );

/** A file as it is requested: its resource, and its name for messages. @internal */
export interface RemoteFile extends Pick<InboxFile, 'name' | 'path'> {
  /** The path of the file, relative to the address of the API. */
  resource: string;
}

/** @internal */
export function toRemoteFile(file: FileToDownload): RemoteFile {
  const { id, name, path } = file;
  const [collection, owner] = 'drop' in file ? ['drops', file.drop] : ['inbox', file.entry];
  return { resource: toPath(collection, owner, toPath('files', id)), name, path };
}

/** The progress of a download. */
export interface DownloadProgress {
  /** The name of the file. */
  name: string;
  /** How many bytes have arrived, including those of an earlier download that is resumed. */
  receivedBytes: number;
  /** The size of the file in bytes. */
  totalBytes: number;
}

/** Options of a download. */
export interface DownloadOptions extends CallOptions {
  /** Called once at the start, and whenever bytes have arrived. */
  onProgress?: ((progress: DownloadProgress) => void) | undefined;
}

/** A file that is being downloaded. */
export interface Download {
  /** The name of the file as it was sent. */
  name: string;
  /**
   * The path of the file in the folder that was sent, with `/` between the names. The names are safe to create on every
   * system, and the path does not lead out of the folder in which it is created.
   */
  path: string;
  /** The size in bytes. */
  size: number;
  /** The SHA-256 in hexadecimal, as stated by the server. The received bytes are checked against it. */
  sha256: string;
  /**
   * The bytes, which can be read once. If the connection breaks, the download resumes where it broke. The last step
   * throws if the digest does not match, so do not use the bytes before the iteration has ended.
   */
  bytes: AsyncIterable<Uint8Array>;
}

/**
 * The part that an earlier download left: its size, and a hash that has been updated with its bytes.
 *
 * @internal
 */
export interface Beginning {
  bytes: number;
  hash: Hash;
}

interface Part {
  response: IncomingMessage;
  start: number;
  size: number;
  etag: string;
  sha256: string;
}

/**
 * Requests a file, or the rest of it. Returns as soon as the server responds.
 *
 * @internal
 */
export async function openDownload(
  api: ApiClient,
  file: RemoteFile,
  options: DownloadOptions = {},
  beginning: Beginning = { bytes: 0, hash: createHash('sha256') },
): Promise<Download> {
  const first = await requestPart(api, file, beginning.bytes, undefined, options.signal);
  const bytes = receiveBytes(api, file, first, beginning, options);
  const path = safeLocalPath(file.path).join('/');
  return { name: file.name, path, size: first.size, sha256: first.sha256, bytes };
}

/**
 * Requests the first byte of a file, which a server sends only if it can read the file.
 *
 * @internal
 */
export async function requestFirstByte(api: ApiClient, file: RemoteFile, { signal }: CallOptions = {}): Promise<void> {
  await api.call({
    method: 'GET',
    path: file.resource,
    headers: { Range: 'bytes=0-0' },
    signal,
    read: async (response) => void response.destroy(),
  });
}

async function* receiveBytes(
  api: ApiClient,
  file: RemoteFile,
  first: Part,
  { hash, bytes: beginningBytes }: Beginning,
  { signal, onProgress }: DownloadOptions,
): AsyncGenerator<Uint8Array, void, void> {
  const { size, etag, sha256 } = first;
  let receivedBytes = beginningBytes;
  let failures = 0;
  const report = () => onProgress?.({ name: file.name, receivedBytes, totalBytes: size });
  report();
  for (let part: Part | undefined = first; ; part = undefined) {
    try {
      part ??= await requestPart(api, file, receivedBytes, etag, signal);
      for await (const piece of readPieces(part.response)) {
        hash.update(piece);
        receivedBytes += piece.length;
        // Without a Content-Length, a response may go on until the disk is full.
        if (receivedBytes > size) break;
        failures = 0;
        yield piece;
        report();
      }
      if (receivedBytes >= size) break;
      throw new WaybillError('unreachable', 'The response ended early.');
    } catch (error) {
      signal?.throwIfAborted();
      // The API client retries requests; only a body that broke off is resumed here.
      if (!isWaybillError(error, 'unreachable')) throw error;
      failures += 1;
      await api.waitBeforeRetry(error, failures, signal);
    }
  }
  if (receivedBytes !== size || hash.digest('hex') !== sha256) {
    throw new WaybillError('digest_mismatch', `${file.name} was damaged in transit.`);
  }
}

async function requestPart(
  api: ApiClient,
  file: RemoteFile,
  start: number,
  etag: string | undefined,
  signal: AbortSignal | undefined,
): Promise<Part> {
  return await api.call({
    method: 'GET',
    path: file.resource,
    headers: {
      ...(start === 0 ? {} : { Range: `bytes=${start}-` }),
      ...(start === 0 || etag === undefined ? {} : { 'If-Range': etag }),
    },
    signal,
    read: async (response) => {
      const part = parsePart(response);
      if (part.start === start && (etag === undefined || etag === part.etag)) return part;
      response.destroy();
      throw new WaybillError('digest_mismatch', `${file.name} has changed since its download began.`);
    },
  });
}

function parsePart(response: IncomingMessage): Part {
  const { etag } = response.headers;
  const [, base64] = /(?:^|,)\s*sha-256=:([A-Za-z0-9+/]{43}=):/.exec(String(response.headers['repr-digest'])) ?? [];
  const [, from, of] = /^bytes (\d+)-\d+\/(\d+)$/.exec(response.headers['content-range'] ?? '') ?? [];
  const whole = response.statusCode === 200;
  const start = whole ? 0 : Number(from);
  const size = Number(whole ? response.headers['content-length'] : of);
  if (base64 === undefined || etag === undefined || !Number.isSafeInteger(start) || !Number.isSafeInteger(size)) {
    response.destroy();
    throw unexpectedResponse(response, 'a file without its size or digest');
  }
  return { response, start, size, etag, sha256: Buffer.from(base64, 'base64').toString('hex') };
}
