import { constants, createReadStream, type Stats } from 'node:fs';
import { access, type FileHandle, mkdtemp, open, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { isWaybillError, WaybillError } from '../errors.ts';

/** Bytes in pieces, such as a stream of Node or of the web. */
export type Bytes = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/**
 * A file to send: a path, or a name and a source of bytes. A name with `/` is a path in the folder that is sent. `type`
 * is the media type, such as `application/pdf`.
 */
export type FileToSend =
  /** The path of a file or a folder. */
  | string
  /** A path, and the name that receivers see. Defaults to the last part of the path. */
  | { path: string; name?: string; type?: string }
  /** Text, which is sent in UTF-8, or bytes. */
  | { name: string; content: string | Uint8Array | Blob; type?: string }
  /**
   * A function that returns the bytes, which are read once. More than 8 MiB are written to a temporary file first,
   * because the server has to know the size in advance.
   */
  | { name: string; open: () => Bytes; type?: string }
  /** The bytes themselves, which are read in the same way. Only an array can be sent again. */
  | { name: string; stream: Bytes; type?: string };

/** The server stores a file in chunks of this size. */
export const chunkBytes = 8 * 1024 * 1024;

/** A file whose size is known, and of which any chunk can be read. */
export interface OpenedSource {
  readonly size: number;
  /** Returns up to `chunkBytes` bytes from the offset on. They are valid until the next call. */
  chunk(offset: number): Promise<Uint8Array>;
  /** Throws if the file changed since it was opened. */
  checkUnchanged(): Promise<void>;
  close(): Promise<void>;
}

export interface Source {
  readonly name: string;
  readonly type: string;
  /** Throws if the file cannot be read. Returns its size if it is known in advance. */
  check(): Promise<number | undefined>;
  open(): Promise<OpenedSource>;
}

const plainBytes = 'application/octet-stream';
const noop = async () => undefined;

export function toSource(file: FileToSend): Source {
  if (typeof file === 'string') return pathSource({ path: file });
  if ('path' in file) return pathSource(file);
  const { name, type = plainBytes } = file;
  if ('content' in file) {
    const content = file.content instanceof Blob ? file.content : new Blob([file.content as string]);
    return { name, type, check: async () => content.size, open: async () => openBlob(content) };
  }
  const bytes = 'open' in file ? () => file.open() : () => file.stream;
  return { name, type, check: noop, open: () => readToEnd(name, () => requireUnread(name, bytes())) };
}

function pathSource({
  path,
  name = basename(path),
  type = plainBytes,
}: {
  path: string;
  name?: string;
  type?: string;
}): Source {
  let pipe: Bytes | undefined;
  return {
    name,
    type,
    async check() {
      const found = await statReadable(path);
      return found.isFile() ? found.size : undefined;
    },
    async open() {
      // A pipe, such as the shell's <(…), can be read only once.
      return (await statReadable(path)).isFile()
        ? await openFile(path, name)
        : await readToEnd(name, () => requireUnread(name, (pipe ??= createReadStream(path))));
    },
  };
}

function openBlob(content: Blob): OpenedSource {
  return {
    size: content.size,
    chunk: async (offset) => new Uint8Array(await content.slice(offset, offset + chunkBytes).arrayBuffer()),
    checkUnchanged: noop,
    close: noop,
  };
}

async function openFile(path: string, name: string): Promise<OpenedSource> {
  const handle = await open(path);
  const opened = await handle.stat();
  let buffer: Buffer | undefined;
  return {
    size: opened.size,
    async chunk(offset) {
      const length = Math.min(chunkBytes, opened.size - offset);
      buffer ??= Buffer.allocUnsafeSlow(Math.min(chunkBytes, opened.size));
      if ((await readFully(handle, buffer.subarray(0, length), offset, name)) < length) throw changedError(name);
      return buffer.subarray(0, length);
    },
    async checkUnchanged() {
      const now = await handle.stat();
      if (now.size !== opened.size || now.mtimeMs !== opened.mtimeMs) throw changedError(name);
    },
    close: () => handle.close(),
  };
}

async function readFully(handle: FileHandle, target: Buffer, offset: number, name: string): Promise<number> {
  let filled = 0;
  try {
    while (filled < target.length) {
      const { bytesRead } = await handle.read(target, filled, target.length - filled, offset + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
  } catch (cause) {
    throw unreadableError(name, cause);
  }
  return filled;
}

/** Streams that were read. At its end, one looks like an empty file. */
const readStreams = new WeakSet<Bytes>();

function requireUnread(name: string, bytes: Bytes): Bytes {
  if (readStreams.has(bytes)) {
    const message = `${name} can be read only once. Send it again with another idempotency key.`;
    throw new WaybillError('source_failed', message);
  }
  if (!Array.isArray(bytes)) readStreams.add(bytes);
  return bytes;
}

/** Reads a stream to its end, into memory or, if it is longer than a chunk, into a temporary file. */
async function readToEnd(name: string, bytes: () => Bytes): Promise<OpenedSource> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  const spool = new Spool(name);
  try {
    for await (const piece of bytes()) {
      length += piece.length;
      // The memory of a piece may be reused when the next one is requested.
      pieces.push(new Uint8Array(piece));
      if (length > chunkBytes) await spool.append(Buffer.concat(pieces.splice(0)));
    }
    return length > chunkBytes ? await spool.read() : openBlob(new Blob(pieces));
  } catch (cause) {
    await spool.remove();
    throw isWaybillError(cause, 'temporary_folder', 'source_failed') ? cause : unreadableError(name, cause);
  }
}

/** A temporary file for bytes whose number is not known yet. Its failures are not those of their source. */
class Spool {
  readonly #name: string;
  #folder: string | undefined;
  #handle: FileHandle | undefined;

  constructor(name: string) {
    this.#name = name;
  }

  async append(bytes: Uint8Array): Promise<void> {
    try {
      this.#folder ??= await mkdtemp(join(tmpdir(), 'waybill-spool-'));
      this.#handle ??= await open(join(this.#folder, 'spool'), 'wx', 0o600);
      await this.#handle.appendFile(bytes);
    } catch (cause) {
      throw spoolError(cause);
    }
  }

  async read(): Promise<OpenedSource> {
    const file = await openFile(join(this.#folder ?? '', 'spool'), this.#name);
    const close = async () => {
      await file.close();
      await this.remove();
    };
    return { ...file, close };
  }

  async remove(): Promise<void> {
    await this.#handle?.close();
    if (this.#folder !== undefined) await rm(this.#folder, { recursive: true, force: true });
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
};

async function statReadable(path: string): Promise<Stats> {
  let found: Stats;
  try {
    await access(path, constants.R_OK);
    found = await stat(path);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const why = reasons[code ?? ''] ?? message;
    throw new WaybillError('source_failed', `${path} cannot be read: ${why}.`, { cause });
  }
  if (found.isDirectory()) throw new WaybillError('source_failed', `${path} is a folder.`);
  return found;
}

const spoolFaults: Readonly<Record<string, string>> = {
  ENOSPC: 'it is full',
  EDQUOT: 'the disk quota is used up',
  ENOENT: 'it does not exist',
  EROFS: 'the disk is read-only',
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
};

function spoolError(cause: unknown): WaybillError {
  const { code = '', message } = cause as NodeJS.ErrnoException;
  const why = spoolFaults[code] ?? message;
  const advice = 'Set TMPDIR to a folder with room for all bytes that are sent.';
  const problem = `A temporary file cannot be written in ${tmpdir()}: ${why}.`;
  return new WaybillError('temporary_folder', `${problem} ${advice}`, { cause });
}

function changedError(name: string): WaybillError {
  return new WaybillError('source_failed', `${name} changed while it was being sent.`);
}

function unreadableError(name: string, cause: unknown): WaybillError {
  const message = `${name} could not be read completely: ${(cause as Error).message}.`;
  return new WaybillError('source_failed', message, { cause });
}
