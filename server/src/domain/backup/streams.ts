import { createHash } from 'node:crypto';
import { ExchangeError } from '../exchange-error.ts';
import type { BackupPlace } from './backup-place.ts';

/** Identifies the content of a file in a backup. */
export interface Content {
  readonly bytes: number;
  readonly sha256: string;
}

/** Passes a stream on; `content` describes it once all of it has passed. */
export function measureStream(source: AsyncIterable<Buffer>): {
  stream: AsyncIterable<Buffer>;
  content: () => Content;
} {
  const hash = createHash('sha256');
  let bytes = 0;
  return {
    stream: (async function* () {
      for await (const piece of source) {
        hash.update(piece);
        bytes += piece.length;
        yield piece;
      }
    })(),
    content: () => ({ bytes, sha256: hash.copy().digest('hex') }),
  };
}

/** Passes a stream on, and throws at its end when it is not what was written. */
export async function* verifyStream(
  name: string,
  source: AsyncIterable<Buffer>,
  expected: Content,
): AsyncGenerator<Buffer, void, void> {
  const { stream, content } = measureStream(source);
  yield* stream;
  const { bytes, sha256 } = content();
  if (bytes === expected.bytes && sha256 === expected.sha256) return;
  throw new ExchangeError('damaged', `${name} is damaged: it is not what the backup wrote. Use another backup.`);
}

/** A small file. Throws MissingObject when it is not there. */
export async function readWhole(place: BackupPlace, name: string, maxBytes: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of place.read(name)) {
    bytes += piece.length;
    if (bytes > maxBytes) throw new ExchangeError('damaged', `${name} is too large.`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

const bytesPerPiece = 64 * 1024;

/** One JSON value per line. */
export async function* toLines(values: AsyncIterable<unknown>): AsyncGenerator<Buffer, void, void> {
  let text = '';
  for await (const value of values) {
    text += `${JSON.stringify(value)}\n`;
    if (text.length < bytesPerPiece) continue;
    yield Buffer.from(text);
    text = '';
  }
  if (text !== '') yield Buffer.from(text);
}

export async function* fromLines<Value>(source: AsyncIterable<Buffer>): AsyncGenerator<Value, void, void> {
  let rest = '';
  for await (const piece of source) {
    // Our own files are ASCII, so a piece never ends within a character.
    const lines = (rest + piece.toString('latin1')).split('\n');
    rest = lines.pop() as string;
    for (const line of lines) yield JSON.parse(line) as Value;
  }
}

/** Does the work for several items at once and returns the results in the order of the items. */
export async function* inOrder<Item, Result>(
  items: AsyncIterable<Item>,
  atOnce: number,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result, void, void> {
  const running: Promise<Result>[] = [];
  try {
    for await (const item of items) {
      const result = work(item);
      // A failure is reported when its turn comes.
      result.catch(() => undefined);
      running.push(result);
      if (running.length === atOnce) yield await (running.shift() as Promise<Result>);
    }
    while (running.length > 0) yield await (running.shift() as Promise<Result>);
  } finally {
    await Promise.allSettled(running);
  }
}
