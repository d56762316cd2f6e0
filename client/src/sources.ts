import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { WaybillError } from './errors.ts';

type Bytes = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** A file to send: a path, or a name and where its bytes come from. */
export type FileToSend =
  | string
  | { path: string; name?: string; type?: string }
  | { name: string; content: string | Uint8Array | Blob; type?: string }
  /** Makes the bytes, anew for every attempt. */
  | { name: string; open: () => Bytes; sizeBytes?: number; type?: string }
  /** Can be read once: an upload that breaks off after its first bytes cannot be repeated. */
  | { name: string; stream: Bytes; sizeBytes?: number; type?: string };

export interface OpenedSource {
  sizeBytes: number | undefined;
  bytes: Bytes;
}

export interface Source {
  readonly name: string;
  readonly type: string;
  open(): Promise<OpenedSource>;
  /** Whether it can be opened once more. */
  repeatable(): boolean;
}

/** How much of a stream is kept, so that an upload refused at its beginning can be repeated. */
const rememberedBytes = 4 * 1024 * 1024;
const readBytes = 512 * 1024;
const plainBytes = 'application/octet-stream';

export function sourceOf(file: FileToSend): Source {
  if (typeof file === 'string') return pathSource({ path: file });
  if ('path' in file) return pathSource(file);
  const { name, type = plainBytes } = file;
  if ('content' in file) {
    const content = file.content instanceof Blob ? file.content : new Blob([file.content as string]);
    const open = async () => ({ sizeBytes: content.size, bytes: content.stream() as AsyncIterable<Uint8Array> });
    return { name, type, open, repeatable: () => true };
  }
  if ('open' in file) {
    const open = async () => ({ sizeBytes: file.sizeBytes, bytes: file.open() });
    return { name, type, open, repeatable: () => true };
  }
  return onceSource(name, type, file.sizeBytes, file.stream);
}

function pathSource({
  path,
  name = basename(path),
  type = plainBytes,
}: {
  path: string;
  name?: string;
  type?: string;
}) {
  let once: Source | undefined;
  return {
    name,
    type,
    async open(): Promise<OpenedSource> {
      const found = await stat(path).catch((cause: unknown) => {
        throw new WaybillError('source_failed', `${path} cannot be read: ${(cause as Error).message}.`, { cause });
      });
      if (found.isDirectory()) throw new WaybillError('source_failed', `${path} is a folder; send its files.`);
      if (found.isFile()) return { sizeBytes: found.size, bytes: createReadStream(path, { highWaterMark: readBytes }) };
      // A pipe, such as the shell's <(…).
      once ??= onceSource(name, type, undefined, createReadStream(path, { highWaterMark: readBytes }));
      return await once.open();
    },
    repeatable: () => once === undefined || once.repeatable(),
  };
}

/** A stream whose beginning is remembered: refusals come before much of an upload was taken. */
function onceSource(name: string, type: string, sizeBytes: number | undefined, stream: Bytes): Source {
  const rest = Symbol.asyncIterator in stream ? stream[Symbol.asyncIterator]() : stream[Symbol.iterator]();
  let beginning: Uint8Array[] | undefined = [];
  let beginningBytes = 0;
  let ended = false;
  /** A read that an earlier attempt has begun and not waited for. */
  let reading: Promise<IteratorResult<Uint8Array>> | undefined;
  let attempts = 0;

  async function* bytes(): AsyncGenerator<Uint8Array, void, void> {
    attempts += 1;
    const attempt = attempts;
    yield* beginning ?? [];
    while (!ended) {
      reading ??= Promise.resolve(rest.next());
      const next = await reading;
      if (attempt !== attempts) return; // what was read is the next attempt's
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
  return { name, type, open: async () => ({ sizeBytes, bytes: bytes() }), repeatable: () => beginning !== undefined };
}
