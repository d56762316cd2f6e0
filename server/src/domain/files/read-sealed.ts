import { ExchangeError } from '../exchange-error.ts';
import type { ChunkRun, Engines, SealedFile } from '../ports/index.ts';
import { objectEnd, placeOf, sealOf } from './chunk-runs.ts';
import { discardBuffer } from './discard-buffer.ts';
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

/** 192 KiB, which with the segment being sent makes 256: every reader starts with it, and a slow one never gets more. */
const smallestPiece = 3;
/** 8 MiB, a whole object: what a fast reader is given at a time, with one more on its way. Each request costs a millisecond. */
const largestPiece = segmentsPerChunk;
/** A reader that takes a piece in less is given a larger one. */
const quickMs = 250;
/** A reader that makes us wait longer is slow: a large piece is dropped, and read again when it is wanted. */
const patienceMs = 1_000;

type Needs = Pick<Engines, 'objects' | 'keys' | 'readAhead'>;
/** What reading needs to know of a file. */
type StoredFile = Pick<SealedFile, 'id' | 'sizeBytes' | 'wrappedKey' | 'keyVersion' | 'runs'>;

export interface ByteRange {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/**
 * The plaintext of a range, a segment at a time, each checked before it is handed out: what comes is right, or the
 * iteration fails.
 */
export async function* readSealed(
  engines: Needs,
  file: StoredFile,
  range: ByteRange,
  signal: AbortSignal,
): AsyncGenerator<Buffer, void, void> {
  const dataKey = await engines.keys.unwrap(file.wrappedKey, file.keyVersion, file.id);
  let run: ChunkRun | undefined;
  let seal: SegmentSeal | undefined;
  const sealAt = (segment: number): SegmentSeal => {
    const current = placeOf(file, segment).run;
    if (!seal || current.id !== run?.id) seal = sealOf(dataKey, file.id, current);
    run = current;
    return seal;
  };
  const lastSegment = segmentCount(file.sizeBytes) - 1;
  const from = Math.floor(range.start / segmentBytes);
  const end = Math.max(from + 1, Math.ceil(range.end / segmentBytes));

  for await (const { number, sealed } of sealedSegments(engines, file, from, end, signal)) {
    const plaintext = openChecked(sealAt(number), number, number === lastSegment, sealed);
    const first = Math.max(range.start - number * segmentBytes, 0);
    const last = Math.min(range.end - number * segmentBytes, plaintext.length);
    if (last > first) yield plaintext.subarray(first, last);
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
 * The sealed segments from `from` up to `end`. They are fetched in pieces: the connection to the store is given back before
 * the reader is served, so that a slow reader costs a little memory and nothing else. Pieces grow with the reader's pace.
 */
async function* sealedSegments(
  engines: Needs,
  file: StoredFile,
  from: number,
  end: number,
  signal: AbortSignal,
): AsyncGenerator<{ number: number; sealed: Buffer }, void, void> {
  const fetch = (first: number, segments: number) =>
    new Piece(engines, file, first, Math.min(objectEnd(file, first), first + segments, end), signal);
  let next = from;
  let segments = smallestPiece;
  let ahead: Piece | undefined;
  try {
    while (next < end) {
      const piece = ahead ?? fetch(next, segments);
      ahead = undefined;
      try {
        await piece.fetched();
        if (segments > smallestPiece && piece.end < end) ahead = fetch(piece.end, segments);
        const since = performance.now();
        for (; next < piece.end && !piece.isDropped; next += 1) {
          // Before the reader is timed, and before it holds a part of the piece, which may be dropped while it is timed.
          const turn = engines.readAhead.turn();
          if (turn) await turn;
          const impatience = setTimeout(() => {
            if (piece.isLarge) piece.drop();
            ahead?.drop();
          }, patienceMs);
          try {
            yield { number: next, sealed: piece.segment(next) };
          } finally {
            clearTimeout(impatience);
          }
        }
        const tookMs = performance.now() - since;
        if (tookMs < quickMs) segments = Math.min(segments * 2, largestPiece);
        else if (tookMs > patienceMs) segments = smallestPiece;
        if (ahead?.isDropped) ahead = undefined;
      } finally {
        piece.drop();
      }
    }
  } finally {
    ahead?.drop();
  }
}

/** Consecutive segments of one object. */
class Piece {
  readonly end: number;
  readonly #from: number;
  readonly #file: StoredFile;
  readonly #readAhead: Needs['readAhead'];
  readonly #dropped = new AbortController();
  readonly #reading: Promise<Buffer>;
  #bytes: Buffer | undefined;
  #takenBytes: number;

  constructor(engines: Needs, file: StoredFile, from: number, end: number, signal: AbortSignal) {
    this.#file = file;
    this.#readAhead = engines.readAhead;
    this.#from = from;
    const wanted = Math.max(0, end - from - smallestPiece);
    const taken = engines.readAhead.take(wanted, segmentBytes);
    this.#takenBytes = taken * segmentBytes;
    this.end = Math.min(end, from + smallestPiece + taken);
    const { run, object, segmentsBefore } = placeOf(file, from);
    const part = { offset: segmentsBefore * sealedSegmentBytes, length: sealedBytes(file, from, this.end) };
    this.#reading = engines.objects.read(
      chunkKey(run.id, object),
      part,
      AbortSignal.any([signal, this.#dropped.signal]),
    );
    // A failure before its turn is noticed when its turn comes; unheard, it would end the process.
    this.#reading.catch(() => undefined);
  }

  get isLarge(): boolean {
    return this.#takenBytes > 0;
  }

  get isDropped(): boolean {
    return this.#dropped.signal.aborted;
  }

  async fetched(): Promise<void> {
    this.#bytes = await this.#reading;
  }

  segment(number: number): Buffer {
    const offset = (number - this.#from) * sealedSegmentBytes;
    return (this.#bytes as Buffer).subarray(offset, offset + sealedBytes(this.#file, number, number + 1));
  }

  /** Gives the memory back. */
  drop(): void {
    if (this.isDropped) return;
    this.#dropped.abort();
    this.#readAhead.give(this.#takenBytes);
    this.#reading.then(discardBuffer, () => undefined);
  }
}

function sealedBytes(file: StoredFile, from: number, end: number): number {
  const plaintext = Math.min(end * segmentBytes, file.sizeBytes) - from * segmentBytes;
  return plaintext + (end - from) * tagBytes;
}
