import { createHash } from 'node:crypto';
import { constants, createReadStream, type Stats } from 'node:fs';
import { access, open as openFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { WaybillError } from './errors.ts';

type Bytes = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** A file to send: a path, or a name and where its bytes come from. */
export type FileToSend =
  | string
  | { path: string; name?: string; type?: string }
  | { name: string; content: string | Uint8Array | Blob; type?: string }
  /** Called for every attempt. The memory of a piece may be reused when the next one is asked for. */
  | { name: string; open: () => Bytes; sizeBytes?: number; type?: string }
  /** Can be read only once: an upload that breaks off after its first few megabytes cannot be repeated. */
  | { name: string; stream: Bytes; sizeBytes?: number; type?: string };

export interface OpenedSource {
  sizeBytes: number | undefined;
  bytes: Bytes;
}

export interface Source {
  readonly name: string;
  readonly type: string;
  /** Throws if it is clear beforehand that it cannot be read. */
  check(): Promise<unknown>;
  open(): Promise<OpenedSource>;
  /** Whether it can be opened again. */
  repeatable(): boolean;
  /** Its content, to look at before it is sent. Undefined if reading would consume it. */
  preview(): Promise<Preview | undefined>;
}

interface Preview {
  /** Undefined if it is known only after reading. */
  sizeBytes: number | undefined;
  read: () => Bytes;
}

/** How much of a stream is kept, so that an upload refused at its beginning can be repeated. */
const rememberedBytes = 4 * 1024 * 1024;
const readBytes = 1024 * 1024;
const plainBytes = 'application/octet-stream';
const nothingToCheck = async () => undefined;

export function sourceOf(file: FileToSend): Source {
  if (typeof file === 'string') return pathSource({ path: file });
  if ('path' in file) return pathSource(file);
  const { name, type = plainBytes } = file;
  if ('content' in file) {
    const content = file.content instanceof Blob ? file.content : new Blob([file.content as string]);
    const read = () => content.stream() as AsyncIterable<Uint8Array>;
    return rereadableSource(name, type, { sizeBytes: content.size, read });
  }
  if ('open' in file) return rereadableSource(name, type, { sizeBytes: file.sizeBytes, read: () => file.open() });
  return onceSource(name, type, file.sizeBytes, file.stream);
}

/** Whether a source has this content. A source that can be read only once is not read, and counts as different. */
export async function hasContent(
  source: Source,
  content: { bytes?: number; sha256?: string },
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const preview = await source.preview();
  if (preview === undefined || (preview.sizeBytes ?? content.bytes) !== content.bytes) return false;
  const hash = createHash('sha256');
  try {
    for await (const piece of preview.read()) {
      signal?.throwIfAborted();
      hash.update(piece);
    }
  } catch {
    signal?.throwIfAborted();
    return false; // the upload meets the same problem, and reports it
  }
  return hash.digest('hex') === content.sha256;
}

function rereadableSource(name: string, type: string, preview: Preview): Source {
  const open = async () => ({ sizeBytes: preview.sizeBytes, bytes: preview.read() });
  return { name, type, check: nothingToCheck, open, repeatable: () => true, preview: async () => preview };
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
  let once: Source | undefined;
  return {
    name,
    type,
    check: () => statOf(path),
    async open(): Promise<OpenedSource> {
      const found = await statOf(path);
      if (found.isFile()) return { sizeBytes: found.size, bytes: fileBytes(path) };
      // A pipe, such as the shell's <(…).
      once ??= onceSource(name, type, undefined, createReadStream(path, { highWaterMark: readBytes }));
      return await once.open();
    },
    repeatable: () => once === undefined || once.repeatable(),
    async preview() {
      const found = await statOf(path);
      return found.isFile() ? { sizeBytes: found.size, read: () => fileBytes(path) } : undefined;
    },
  };
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'it does not exist',
  EACCES: 'permission is denied',
};

async function statOf(path: string): Promise<Stats> {
  let found: Stats;
  try {
    await access(path, constants.R_OK);
    found = await stat(path);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const why = reasons[code ?? ''] ?? message;
    throw new WaybillError('source_failed', `${path} cannot be read: ${why}.`, { cause });
  }
  if (found.isDirectory())
    throw new WaybillError(
      'source_failed',
      `${path} is a folder. Send the files in it, such as ${path}/*, or an archive of it.`,
    );
  return found;
}

/** One buffer is filled while the other one is sent, so that a file of any size needs only these two. */
async function* fileBytes(path: string): AsyncGenerator<Uint8Array, void, void> {
  const handle = await openFile(path);
  let [current, other] = [Buffer.allocUnsafeSlow(readBytes), Buffer.allocUnsafeSlow(readBytes)];
  let reading = handle.read(current, 0, readBytes, null);
  try {
    for (;;) {
      const { bytesRead } = await reading;
      if (bytesRead === 0) return;
      reading = handle.read(other, 0, readBytes, null);
      yield current.subarray(0, bytesRead);
      [current, other] = [other, current];
    }
  } finally {
    await reading.catch(() => undefined);
    await handle.close();
  }
}

/** A stream whose beginning is kept, because a refusal comes before much of an upload was taken. */
function onceSource(name: string, type: string, sizeBytes: number | undefined, stream: Bytes): Source {
  const rest = Symbol.asyncIterator in stream ? stream[Symbol.asyncIterator]() : stream[Symbol.iterator]();
  let beginning: Uint8Array[] | undefined = [];
  let beginningBytes = 0;
  let ended = false;
  /** A read that an earlier attempt has begun but not awaited. */
  let reading: Promise<IteratorResult<Uint8Array>> | undefined;
  let attempts = 0;

  async function* bytes(): AsyncGenerator<Uint8Array, void, void> {
    attempts += 1;
    const attempt = attempts;
    yield* beginning ?? [];
    while (!ended) {
      reading ??= Promise.resolve(rest.next());
      const next = await reading;
      if (attempt !== attempts) return; // the next attempt takes what was read
      reading = undefined;
      if (next.done) {
        ended = true;
        return;
      }
      beginningBytes += next.value.length;
      if (beginningBytes > rememberedBytes) beginning = undefined;
      beginning?.push(next.value);
      yield next.value;
    }
  }
  return {
    name,
    type,
    check: nothingToCheck,
    open: async () => ({ sizeBytes, bytes: bytes() }),
    repeatable: () => beginning !== undefined,
    preview: async () => undefined,
  };
}
