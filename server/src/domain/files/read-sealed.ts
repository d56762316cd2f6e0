import type { Readable } from 'node:stream';
import { ExchangeError } from '../exchange-error.ts';
import type { ChunkRun, Engines, ObjectStore, SealedFile } from '../ports.ts';
import { runAt, sealOf } from './chunk-runs.ts';
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
/** How long a consumer may make us wait before it counts as slow. */
const patienceMs = 1_000;
/** 256 KiB: the memory of a slow consumer. */
const segmentsWhenSlow = 4;

/** What reading needs to know of a file. */
type StoredFile = Pick<SealedFile, 'id' | 'sizeBytes' | 'wrappedKey' | 'keyVersion' | 'runs'>;

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
  file: StoredFile,
  range: ByteRange,
  signal: AbortSignal,
): AsyncGenerator<Buffer, void, void> {
  const dataKey = await engines.keys.unwrap(file.wrappedKey, file.keyVersion, file.id);
  let run: ChunkRun | undefined;
  let seal: SegmentSeal | undefined;
  const sealAt = (segment: number): SegmentSeal => {
    const current = runAt(file, Math.floor(segment / segmentsPerChunk));
    if (!seal || current.id !== run?.id) seal = sealOf(dataKey, file.id, current);
    run = current;
    return seal;
  };
  const lastSegment = segmentCount(file.sizeBytes) - 1;
  const from = Math.floor(range.start / segmentBytes);
  const to = Math.max(from, Math.ceil(range.end / segmentBytes) - 1);

  for await (const { number, sealed } of sealedSegments(engines.objects, file, from, to, signal)) {
    const plaintext = openChecked(sealAt(number), number, number === lastSegment, sealed);
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

/**
 * The sealed segments `from` to `to`, a chunk's worth at a time and the next chunk ahead. A consumer that makes us wait
 * would hold a connection to the store for as long as it reads, and a few hundred of them all there are; so the
 * connection is given back, and such a consumer is served in small pieces that are fetched whole.
 */
async function* sealedSegments(
  objects: ObjectStore,
  file: StoredFile,
  from: number,
  to: number,
  signal: AbortSignal,
): AsyncGenerator<{ number: number; sealed: Buffer }, void, void> {
  let next = from;
  let ahead: Run | undefined;
  let keepsUp = true;
  let failures = 0;
  try {
    while (next <= to) {
      const chunkEnd = (Math.floor(next / segmentsPerChunk) + 1) * segmentsPerChunk;
      const end = Math.min(chunkEnd, to + 1, keepsUp ? chunkEnd : next + segmentsWhenSlow);
      const run: Run = ahead?.from === next ? ahead : openRun(objects, file, next, end, signal);
      if (!keepsUp || end > to) ahead = undefined;
      else if (ahead?.from !== end)
        ahead = openRun(objects, file, end, Math.min(end + segmentsPerChunk, to + 1), signal);
      try {
        for await (const sealed of keepsUp ? cut(run, file) : gather(cut(run, file))) {
          const waited = performance.now();
          const impatience = setTimeout(() => {
            keepsUp = false;
            run.close();
            ahead?.close();
            ahead = undefined;
          }, patienceMs);
          try {
            yield { number: next, sealed };
          } finally {
            clearTimeout(impatience);
          }
          if (!keepsUp && performance.now() - waited < patienceMs / 10) keepsUp = next + 1 === run.end;
          next += 1;
          failures = 0;
        }
      } catch (error) {
        if (error instanceof ExchangeError || signal.aborted) throw error;
        if (++failures >= attempts) throw new ExchangeError('unavailable', undefined, { cause: error });
      }
    }
  } finally {
    ahead?.close();
  }
}

/** Consecutive segments of one chunk, being read from its object. */
interface Run {
  readonly from: number;
  /** Exclusive. */
  readonly end: number;
  readonly stream: Promise<Readable>;
  close(): void;
}

function openRun(objects: ObjectStore, file: StoredFile, from: number, end: number, signal: AbortSignal): Run {
  const chunk = Math.floor(from / segmentsPerChunk);
  const place = { offset: (from % segmentsPerChunk) * sealedSegmentBytes, length: sealedBytes(file, from, end) };
  const stream = objects.read(chunkKey(runAt(file, chunk).id, chunk), place, signal);
  const whenOpen = (act: (opened: Readable) => void) => void stream.then(act, () => undefined);
  // A fault before its turn is noticed when the turn comes; unheard, it would end the process.
  whenOpen((opened) => opened.on('error', () => undefined));
  return { from, end, stream, close: () => whenOpen((opened) => opened.destroy()) };
}

function sealedBytes(file: StoredFile, from: number, end: number): number {
  const plaintext = Math.min(end * segmentBytes, file.sizeBytes) - from * segmentBytes;
  return plaintext + (end - from) * tagBytes;
}

async function* gather(segments: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, void> {
  const gathered: Buffer[] = [];
  for await (const sealed of segments) gathered.push(Buffer.from(sealed));
  yield* gathered;
}

/** Cuts a run's bytes into its sealed segments, which must all be there. */
async function* cut({ from, end, stream }: Run, file: StoredFile): AsyncGenerator<Buffer, void, void> {
  // One buffer for all of them: a segment is opened before the next is asked for.
  const sealed = Buffer.allocUnsafeSlow(sealedSegmentBytes);
  let segment = from;
  let fill = 0;
  for await (const bytes of (await stream) as AsyncIterable<Buffer>) {
    for (let offset = 0; offset < bytes.length; ) {
      const length = sealedBytes(file, segment, segment + 1);
      const copied = bytes.copy(sealed, fill, offset, offset + length - fill);
      fill += copied;
      offset += copied;
      if (fill < length) break;
      yield sealed.subarray(0, length);
      fill = 0;
      segment += 1;
      if (segment === end) return;
    }
  }
  throw new ExchangeError('damaged', undefined, { cause: new Error(`object of segment ${segment} ends early`) });
}
