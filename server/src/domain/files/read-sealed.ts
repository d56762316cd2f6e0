import type { Readable } from 'node:stream';
import { ExchangeError } from '../exchange-error.ts';
import type { Engines, ObjectStore, SealedFile } from '../ports.ts';
import {
  chunkKey,
  openSegment,
  type SegmentSeal,
  sealedSegmentBytes,
  segmentBytes,
  segmentCount,
  segmentsPerChunk,
  tagBytes,
} from './sealing.ts';

/** How often reading goes on from where it broke before it gives up; any progress starts the count anew. */
const attempts = 3;

export interface ByteRange {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/**
 * The plaintext of a range, a segment at a time, each checked before it is handed out: what comes is right, or the
 * iteration fails. The next chunk is being opened while the current one is read; memory stays at a few segments
 * however slowly the result is consumed.
 */
export async function* readSealed(
  engines: Pick<Engines, 'objects' | 'keys'>,
  file: SealedFile,
  range: ByteRange,
  signal: AbortSignal,
): AsyncGenerator<Buffer, void, void> {
  const dataKey = await engines.keys.unwrap(file.wrappedKey, file.keyVersion, file.id);
  const seal = { dataKey, fileId: file.id };
  const lastSegment = segmentCount(file.sizeBytes) - 1;
  const from = Math.floor(range.start / segmentBytes);
  const to = Math.max(from, Math.ceil(range.end / segmentBytes) - 1);

  for await (const { number, sealed } of sealedSegments(engines.objects, file, from, to, signal)) {
    const plaintext = openChecked(seal, number, number === lastSegment, sealed);
    const start = Math.max(range.start - number * segmentBytes, 0);
    const end = Math.min(range.end - number * segmentBytes, plaintext.length);
    if (end > start) yield plaintext.subarray(start, end);
  }
}

function openChecked(seal: SegmentSeal, number: number, last: boolean, sealed: Buffer): Buffer {
  try {
    return openSegment(seal, number, last, sealed);
  } catch (cause) {
    throw new ExchangeError('damaged', undefined, { cause });
  }
}

async function* sealedSegments(
  objects: ObjectStore,
  file: SealedFile,
  from: number,
  to: number,
  signal: AbortSignal,
): AsyncGenerator<{ number: number; sealed: Buffer }, void, void> {
  const chunkOf = (segment: number) => Math.floor(segment / segmentsPerChunk);
  const open = (segment: number) => {
    const stream = objects.read(
      chunkKey(file.id, chunkOf(segment)),
      (segment % segmentsPerChunk) * sealedSegmentBytes,
      signal,
    );
    stream.catch(() => undefined); // looked at when its turn comes
    return stream;
  };

  let next = from;
  let ahead: { segment: number; stream: Promise<Readable> } | undefined;
  let failures = 0;
  try {
    while (next <= to) {
      const stream = ahead?.segment === next ? ahead.stream : open(next);
      const nextChunk = (chunkOf(next) + 1) * segmentsPerChunk;
      ahead = nextChunk <= to ? { segment: nextChunk, stream: open(nextChunk) } : undefined;
      const end = Math.min(nextChunk, to + 1);
      try {
        for await (const sealed of cut(await stream, next, end, file)) {
          yield { number: next, sealed };
          next += 1;
          failures = 0;
        }
      } catch (error) {
        if (error instanceof ExchangeError || signal.aborted || ++failures >= attempts) throw error;
      }
    }
  } finally {
    ahead?.stream.then(
      (stream) => stream.destroy(),
      () => undefined,
    );
  }
}

/** Cuts an object's bytes into its sealed segments `from` to `end`, which must all be there. */
async function* cut(stream: Readable, from: number, end: number, file: SealedFile): AsyncGenerator<Buffer, void, void> {
  const sealedLength = (segment: number) => Math.min(segmentBytes, file.sizeBytes - segment * segmentBytes) + tagBytes;
  let segment = from;
  let parts: Buffer[] = [];
  let have = 0;
  for await (const bytes of stream as AsyncIterable<Buffer>) {
    let rest = bytes;
    while (segment < end && have + rest.length >= sealedLength(segment)) {
      const taken = rest.subarray(0, sealedLength(segment) - have);
      rest = rest.subarray(taken.length);
      yield parts.length === 0 ? taken : Buffer.concat([...parts, taken]);
      parts = [];
      have = 0;
      segment += 1;
    }
    if (segment === end) return;
    parts.push(rest);
    have += rest.length;
  }
  throw new ExchangeError('damaged', undefined, { cause: new Error(`object of segment ${segment} ends early`) });
}
