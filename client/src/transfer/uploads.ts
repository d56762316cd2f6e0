import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { CallOptions, PostOptions } from '../call-options.ts';
import { ignoreNotFound, isWaybillError, WaybillError } from '../errors.ts';
import type { Upload } from '../generated/wire.ts';
import { type ApiClient, toPath } from '../http/api-client.ts';
import { readBytes, readJson, unexpectedResponse } from '../http/response.ts';
import { chunkBytes, type FileToSend, type OpenedSource, type Source, toSource } from './sources.ts';

/** The progress of an upload. */
export interface UploadProgress {
  /** The name of the file. */
  name: string;
  /** How many bytes were sent. Decreases if the connection breaks. */
  sentBytes: number;
  /** The size of the file in bytes. */
  totalBytes: number;
}

/** Options of an upload. */
export interface UploadOptions extends PostOptions {
  /** Called whenever bytes were sent. */
  onProgress?: ((progress: UploadProgress) => void) | undefined;
}

/** An upload of an earlier call with the same key that has been sent or removed since. */
interface GoneUpload extends Pick<Upload, 'id' | 'size' | 'scan' | 'unscanned_reason'> {
  state: 'gone';
}

/** Small enough to show progress on a slow connection. */
const pieceBytes = 256 * 1024;
const tusHeaders = { 'Tus-Resumable': '1.0.0' };
const [initialPollMs, maxPollMs] = [100, 2_000];

/** The uploads that are not in a drop yet. */
export class Uploads {
  readonly #api: ApiClient;

  /** @internal */
  constructor(api: ApiClient) {
    this.#api = api;
  }

  /**
   * Gets the state of an upload.
   *
   * @param id The upload's id.
   */
  async get(id: string, options: CallOptions = {}): Promise<Upload> {
    return await this.#api.get(toPath('uploads', id), {}, options);
  }

  /**
   * Removes an upload that is not needed.
   *
   * @param id The upload's id.
   */
  async delete(id: string, options: CallOptions = {}): Promise<void> {
    await this.#api.delete(toPath('uploads', id), options);
  }

  /**
   * Uploads a file, and returns when it can be added to a drop. Another call with the same `idempotencyKey`, in any
   * process, resumes an upload that was cut off.
   */
  async upload(file: FileToSend, options: UploadOptions = {}): Promise<Upload> {
    const uploaded = await this.uploadOrFind(toSource(file), options);
    if (uploaded.state !== 'gone') return uploaded;
    throw new WaybillError(
      'not_found',
      'An earlier call with this key uploaded the file, which was then sent or removed.',
    );
  }

  /** Opens the source once. With `onKeyReused: 'replace'`, a key that was used for other bytes is replaced. @internal */
  async uploadOrFind(
    source: Source,
    { onKeyReused = 'fail', ...options }: UploadOptions & { onKeyReused?: 'fail' | 'replace' },
  ): Promise<Upload | GoneUpload> {
    const opened = await source.open();
    const upload = (key: string) => this.#uploadOpened(source, opened, key, options);
    try {
      return await upload(options.idempotencyKey ?? this.#api.generateKey()).catch((error: unknown) => {
        if (onKeyReused === 'fail' || !isWaybillError(error, 'idempotency_key_reused')) throw error;
        return upload(this.#api.generateKey());
      });
    } catch (error) {
      throw nameFile(error, source);
    } finally {
      await opened.close();
    }
  }

  async #uploadOpened(
    source: Source,
    opened: OpenedSource,
    key: string,
    options: UploadOptions,
  ): Promise<Upload | GoneUpload> {
    if (opened.size <= chunkBytes) return await this.#uploadWhole(source, opened, key, options);
    const id = await this.#createUpload(source, opened.size, key, options);
    const begun = await this.find(id, options);
    if (!begun) return { id, state: 'gone', size: opened.size, scan: null, unscanned_reason: null };
    return await this.#uploadInParts(source, opened, begun, options);
  }

  /**
   * Uploads a file in parts, or continues an upload that was found. Throws `digest_mismatch` if that was of other bytes,
   * and deletes it. @internal
   */
  async uploadOrContinue(source: Source, found: Upload | undefined, options: UploadOptions): Promise<Upload> {
    const opened = await source.open();
    try {
      const key = options.idempotencyKey ?? this.#api.generateKey();
      const begun = found ?? (await this.get(await this.#createUpload(source, opened.size, key, options), options));
      return await this.#uploadInParts(source, opened, begun, options);
    } catch (error) {
      throw nameFile(error, source);
    } finally {
      await opened.close();
    }
  }

  /** Returns undefined if the upload was sent or removed. @internal */
  async find(id: string, options: CallOptions): Promise<Upload | undefined> {
    return await ignoreNotFound(this.get(id, options));
  }

  async #uploadWhole(
    { name, type }: Source,
    opened: OpenedSource,
    key: string,
    { signal, onProgress }: UploadOptions,
  ): Promise<Upload> {
    const { size } = opened;
    const bytes = await opened.chunk(0);
    await opened.checkUnchanged();
    const digest = createHash('sha256').update(bytes).digest('base64');
    return await this.#api.call({
      method: 'POST',
      path: 'uploads',
      headers: {
        'Content-Type': validateMediaType(type),
        'Content-Length': String(size),
        'Content-Disposition': `attachment; filename*=UTF-8''${encodeFileName(name)}`,
        'Repr-Digest': `sha-256=:${digest}:`,
        'Idempotency-Key': key,
      },
      body: () => splitIntoPieces(bytes, (sentBytes) => onProgress?.({ name, sentBytes, totalBytes: size })),
      signal,
      read: readJson<Upload>,
    });
  }

  async #createUpload({ name, type }: Source, size: number, key: string, { signal }: CallOptions): Promise<string> {
    const metadata = { filename: name.slice(name.lastIndexOf('/') + 1), path: name, filetype: validateMediaType(type) };
    return await this.#api.call({
      method: 'POST',
      path: 'uploads',
      headers: {
        ...tusHeaders,
        'Upload-Length': String(size),
        'Upload-Metadata': Object.entries(metadata)
          .map(([field, value]) => `${field} ${Buffer.from(value).toString('base64')}`)
          .join(','),
        'Idempotency-Key': key,
      },
      signal,
      read: async (response) => {
        await readBytes(response);
        const id = response.headers.location?.split('/').at(-1);
        if (!id) throw unexpectedResponse(response, 'no address of the upload');
        return id;
      },
    });
  }

  /**
   * Sends the rest of the file in one request. The server stores it chunk by chunk, so a broken connection or a killed
   * process loses less than a chunk.
   */
  async #uploadInParts(source: Source, opened: OpenedSource, begun: Upload, options: UploadOptions): Promise<Upload> {
    const { signal, onProgress } = options;
    const { size } = opened;
    const report = (sentBytes: number) => onProgress?.({ name: source.name, sentBytes, totalBytes: size });
    const digest = new RunningDigest(opened);
    let failures = 0;
    let storedBytes = 0;
    let longestRequest = size;
    for (let upload = begun; ; upload = await this.get(begun.id, { signal })) {
      if (upload.state !== 'uploading') {
        await digest.advanceTo(size);
        await opened.checkUnchanged();
        return await this.#waitForCheck(source, upload, digest.hex(), options);
      }
      try {
        const offset = await this.#getOffset(begun.id, signal);
        if (offset > storedBytes) failures = 0;
        storedBytes = offset;
        await digest.advanceTo(offset);
        const length = Math.min(longestRequest, size - offset);
        const bytes = streamBytes(opened, offset, length, digest, report);
        if (length > 0) await this.#sendPart(begun.id, offset, length, bytes, signal);
      } catch (error) {
        if (isWaybillError(error) && error.status === 413 && longestRequest > chunkBytes) {
          // A proxy limits the size of requests.
          longestRequest = chunkBytes;
          continue;
        }
        // The next attempt continues from the server's offset.
        failures += 1;
        await this.#api.waitBeforeRetry(error, failures, signal, 'upload_superseded');
      }
    }
  }

  /**
   * Returns the offset from which to continue. The server responds once an earlier request, whose connection broke, has
   * stored the bytes that it received.
   */
  async #getOffset(id: string, signal: AbortSignal | undefined): Promise<number> {
    const path = toPath('uploads', id);
    return await this.#api.attempt({ method: 'HEAD', path, headers: tusHeaders, signal, read: readOffset });
  }

  async #sendPart(
    id: string,
    offset: number,
    length: number,
    bytes: AsyncGenerator<Uint8Array, void, void>,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    try {
      await this.#api.attempt({
        method: 'PATCH',
        path: toPath('uploads', id),
        headers: {
          ...tusHeaders,
          'Upload-Offset': String(offset),
          'Content-Type': 'application/offset+octet-stream',
          'Content-Length': String(length),
        },
        body: () => bytes,
        signal,
        read: readOffset,
      });
    } finally {
      // The generator may still be reading, and the next attempt reads into the same memory.
      await bytes.return();
    }
  }

  /** Waits until the server has checked the file. A refused file is removed, so that it can be uploaded again. */
  async #waitForCheck(source: Source, arrived: Upload, sha256: string, { signal }: CallOptions): Promise<Upload> {
    let upload = arrived;
    for (let pause = initialPollMs; upload.state === 'checking'; pause = Math.min(maxPollMs, pause * 1.5)) {
      await this.#api.sleep(pause, signal);
      upload = await this.get(upload.id, { signal });
    }
    const refusal = upload.state === 'ready' && upload.sha256 !== sha256 ? 'digest_mismatch' : upload.refusal;
    if (refusal === null) return upload;
    await this.delete(upload.id, { signal });
    throw new WaybillError(
      refusal === 'unchecked' ? 'unavailable' : refusal,
      `${source.name} ${refusalMessages[refusal]}.`,
    );
  }
}

function nameFile(error: unknown, { name }: Source): unknown {
  if (!isWaybillError(error, ...fileRefusalCodes) || error.message.includes(name)) return error;
  return new WaybillError(error.code, `${name}: ${error.message}`, error);
}

/** Refusals of a single file, whose message has to name the file. */
const fileRefusalCodes = ['infected', 'encrypted', 'invalid_name', 'too_large', 'too_large_to_scan'] as const;

const refusalMessages: Record<NonNullable<Upload['refusal']>, string> = {
  infected: 'was refused by the virus scanner',
  encrypted: 'is encrypted and cannot be scanned for viruses',
  too_large_to_scan: 'is too large to be scanned for viruses',
  digest_mismatch: 'was damaged in transit',
  damaged: 'was damaged on the server',
  unchecked: 'could not be checked by the server',
};

/** Computes the SHA-256 of a whole file, although only a part of it may be sent. */
class RunningDigest {
  readonly #hash = createHash('sha256');
  readonly #opened: OpenedSource;
  #bytes = 0;

  constructor(opened: OpenedSource) {
    this.#opened = opened;
  }

  /** Reads the bytes up to the offset, which were sent earlier. */
  async advanceTo(offset: number): Promise<void> {
    while (this.#bytes < offset) {
      const bytes = await this.#opened.chunk(this.#bytes);
      this.add(bytes.subarray(0, offset - this.#bytes), this.#bytes);
    }
  }

  /** Ignores bytes that were added before. */
  add(bytes: Uint8Array, offset: number): void {
    const fresh = bytes.subarray(Math.max(0, this.#bytes - offset));
    this.#hash.update(fresh);
    this.#bytes += fresh.length;
  }

  hex(): string {
    return this.#hash.digest('hex');
  }
}

/** Yields bytes of a file, and adds them to the digest as they are sent. */
async function* streamBytes(
  opened: OpenedSource,
  start: number,
  length: number,
  digest: RunningDigest,
  report: (sentBytes: number) => void,
): AsyncGenerator<Uint8Array, void, void> {
  for (let offset = start; offset < start + length; ) {
    const from = offset;
    const chunk = (await opened.chunk(from)).subarray(0, start + length - from);
    for await (const piece of splitIntoPieces(chunk, (sent) => report(from + sent))) {
      digest.add(piece, offset);
      yield piece;
      offset += piece.length;
    }
  }
}

async function* splitIntoPieces(
  bytes: Uint8Array,
  report: (sentBytes: number) => void,
): AsyncGenerator<Uint8Array, void, void> {
  for (let sent = 0; sent < bytes.length; ) {
    const piece = bytes.subarray(sent, sent + pieceBytes);
    yield piece;
    sent += piece.length;
    report(sent);
  }
}

async function readOffset(response: IncomingMessage): Promise<number> {
  await readBytes(response);
  const offset = Number(response.headers['upload-offset']);
  if (!Number.isSafeInteger(offset)) throw unexpectedResponse(response, 'no offset of the upload');
  return offset;
}

/** Encodes a name for a header (RFC 8187). */
function encodeFileName(name: string): string {
  if (name === '' || !name.isWellFormed()) throw new WaybillError('invalid_name', 'A file needs a name.');
  return encodeURIComponent(name).replace(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16)}`);
}

function validateMediaType(type: string): string {
  if (!/^[\x20-\x7e]+$/.test(type)) throw new WaybillError('invalid_argument', 'A media type must be printable ASCII.');
  return type;
}
