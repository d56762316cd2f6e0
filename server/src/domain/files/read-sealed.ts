import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import { discardBuffer } from '../flow/discard-buffer.ts';
import type { DayKeys } from '../keys/day-keys.ts';
import { createSeal, locateSegment, objectEnd } from './chunk-runs.ts';
import type { ChunkRun, SealedFile } from './file-store.ts';
import {
  chunkKey,
  openSegment,
  type SegmentSeal,
  sealedBytes,
  sealedSegmentBytes,
  segmentBytes,
  segmentCount,
  segmentsPerChunk,
} from './sealing.ts';

/** 128 KiB: every reader starts with this, and a reader that takes more than five seconds per segment keeps it. */
const smallestPiece = 2;
const slowestMs = 5_000;
/** 192 KiB: what a slow reader is given at a time, whatever else is in memory. */
const smallPiece = 3;
/**
 * 8 MiB, a whole object: what a fast reader is given at a time, while the next is being fetched. Each request costs 1
 * ms.
 */
const largestPiece = segmentsPerChunk;
/**
 * For a reader that gets more than small pieces, one is fetched ahead, and as many more as it takes while the store
 * prepares the first byte of another, but no more than six in all.
 */
const mostPiecesAhead = 6;
/** A reader that takes a piece in less time is given a larger one. */
const quickMs = 250;
/** A reader that keeps us waiting longer is slow: a large piece is dropped, and read again when it is needed. */
const patienceMs = 1_000;

type Needs = Pick<Engines, 'objects' | 'downloads'> & { readonly dayKeys: Pick<DayKeys, 'unwrap'> };
type StoredFile = Layout & Pick<SealedFile, 'wrappedKey' | 'keyDay'>;
type Layout = Pick<SealedFile, 'id' | 'sizeBytes' | 'runs'>;

export interface ByteRange {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/**
 * The plaintext of a range, one segment at a time. Each is verified before it is returned: the bytes are correct, or
 * the iteration fails.
 */
export async function* readSealed(
  engines: Needs,
  file: StoredFile,
  range: ByteRange,
  signal: AbortSignal,
): AsyncGenerator<Buffer, void, void> {
  yield* readWithKey(engines, await engines.dayKeys.unwrap(file.wrappedKey, file.keyDay, file.id), file, range, signal);
}

/** The same with the key that the caller has: a wrapped key that was read a day ago may not open any more. */
export async function* readWithKey(
  engines: Pick<Needs, 'objects' | 'downloads'>,
  dataKey: Buffer,
  file: Layout,
  range: ByteRange,
  signal: AbortSignal,
): AsyncGenerator<Buffer, void, void> {
  let run: ChunkRun | undefined;
  let seal: SegmentSeal | undefined;
  const sealAt = (segment: number): SegmentSeal => {
    const current = locateSegment(file, segment).run;
    if (!seal || current.id !== run?.id) seal = createSeal(dataKey, file, current);
    run = current;
    return seal;
  };
  const lastSegment = segmentCount(file.sizeBytes) - 1;
  const from = Math.floor(range.start / segmentBytes);
  const end = Math.max(from + 1, Math.ceil(range.end / segmentBytes));

  const open = (number: number, sealed: Buffer) => openChecked(sealAt(number), number, number === lastSegment, sealed);
  for await (const { number, plaintext } of openSegments(engines, { file, open, from, end, signal })) {
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

interface Opening {
  readonly file: Layout;
  readonly open: (number: number, sealed: Buffer) => Buffer;
  readonly from: number;
  readonly end: number;
  readonly signal: AbortSignal;
}

/**
 * The segments from `from` up to `end`. They are fetched in pieces: the connection to the store is released before the
 * reader is served, so that a slow reader costs only a little memory. Pieces grow with the reader's speed.
 */
async function* openSegments(
  engines: Pick<Needs, 'objects' | 'downloads'>,
  { file, open, from, end, signal }: Opening,
): AsyncGenerator<{ number: number; plaintext: Buffer }, void, void> {
  /** Up to so many segments, `free` of which need no memory for reading ahead. Undefined if there are none, or no memory. */
  const fetch = (first: number, segments: number, free: number): Piece | undefined => {
    if (first >= end) return undefined;
    const wanted = Math.min(objectEnd(file, first), first + segments, end) - first;
    const acquired = engines.downloads.memory.acquire(Math.max(0, wanted - free), segmentBytes);
    const length = Math.min(wanted, free + acquired);
    return length > 0 ? new Piece(engines, file, { from: first, end: first + length, acquired, signal }) : undefined;
  };
  let next = from;
  let segments = smallestPiece;
  let piecesAhead = 0;
  const ahead: Piece[] = [];
  const dropAhead = () => ahead.splice(0).forEach((piece) => piece.drop());
  try {
    while (next < end) {
      const piece = (ahead.shift() ?? fetch(next, segments, smallPiece)) as Piece;
      try {
        await piece.fetched();
        while (ahead.length < piecesAhead) {
          // The further ones only in the memory that is for reading ahead.
          const further = fetch((ahead.at(-1) ?? piece).end, segments, ahead.length === 0 ? smallPiece : 0);
          if (!further) break;
          ahead.push(further);
        }
        const since = performance.now();
        const first = next;
        for (; next < piece.end && !piece.isDropped; next += 1) {
          const turn = engines.downloads.turns.waitForTurn();
          if (turn) await turn;
          const plaintext = open(next, piece.segment(next));
          piece.release(next);
          const impatience = setTimeout(() => {
            if (piece.isLarge) piece.drop();
            dropAhead();
          }, patienceMs);
          try {
            yield { number: next, plaintext };
          } finally {
            clearTimeout(impatience);
          }
        }
        const tookMs = performance.now() - since;
        if (tookMs < quickMs) segments = Math.min(segments * 2, largestPiece);
        else if (tookMs > patienceMs) segments = tookMs > slowestMs * (next - first) ? smallestPiece : smallPiece;
        const perPieceMs = Math.max(1, (tookMs / (next - first)) * segments);
        // Waiting for a quarter of a piece's time is not worth the memory of another. And one piece that took long is no
        // reason to have much less on its way.
        const enough = 1 + Math.ceil(engines.objects.firstByteMs / perPieceMs - 0.25);
        piecesAhead = segments > smallPiece ? Math.min(mostPiecesAhead, Math.max(enough, piecesAhead - 1)) : 0;
      } finally {
        piece.drop();
      }
    }
  } finally {
    dropAhead();
  }
}

/** Consecutive segments of one object. */
class Piece {
  readonly end: number;
  readonly #from: number;
  readonly #file: Layout;
  readonly #memory: Needs['downloads']['memory'];
  readonly #dropped = new AbortController();
  readonly #reading: Promise<Buffer>;
  /** One per segment, or one for all of a large piece. */
  #buffers: Buffer[] = [];
  readonly #heldBytes: number;

  /** `acquired`: the segments for which memory was acquired. */
  constructor(
    engines: Pick<Needs, 'objects' | 'downloads'>,
    file: Layout,
    { from, end, acquired, signal }: { from: number; end: number; acquired: number; signal: AbortSignal },
  ) {
    this.#file = file;
    this.#memory = engines.downloads.memory;
    this.#from = from;
    this.#heldBytes = acquired * segmentBytes;
    this.end = end;
    const { run, object, segmentsBefore } = locateSegment(file, from);
    const part = { offset: segmentsBefore * sealedSegmentBytes, length: sealedBytes(file, from, this.end) };
    this.#reading = engines.objects.read(
      chunkKey(run.id, object),
      part,
      AbortSignal.any([signal, this.#dropped.signal]),
    );
    // A failure before its turn is handled when its turn comes. As an unhandled rejection it would end the process.
    this.#reading.catch(() => undefined);
  }

  get isLarge(): boolean {
    return this.#heldBytes > 0;
  }

  get isDropped(): boolean {
    return this.#dropped.signal.aborted;
  }

  async fetched(): Promise<void> {
    const bytes = await this.#reading;
    if (this.isLarge || this.end - this.#from === 1) {
      this.#buffers = [bytes];
    } else {
      // Separate buffers, so that each can be freed while a slow reader is still taking the one before.
      this.#buffers = Array.from({ length: this.end - this.#from }, (_, index) =>
        copyBuffer(this.#slice(bytes, index)),
      );
      discardBuffer(bytes);
    }
  }

  #slice(bytes: Buffer, index: number): Buffer {
    const offset = index * sealedSegmentBytes;
    return bytes.subarray(offset, offset + sealedBytes(this.#file, this.#from + index, this.#from + index + 1));
  }

  segment(number: number): Buffer {
    const index = number - this.#from;
    return this.#buffers.length > 1 ? (this.#buffers[index] as Buffer) : this.#slice(this.#buffers[0] as Buffer, index);
  }

  /** Releases the memory of a segment that is no longer needed. */
  release(number: number): void {
    if (!this.isLarge) discardBuffer(this.segment(number));
  }

  /** Frees the memory. */
  drop(): void {
    if (this.isDropped) return;
    this.#dropped.abort();
    this.#memory.release(this.#heldBytes);
    this.#reading.then(discardBuffer, () => undefined);
    this.#buffers.forEach(discardBuffer);
  }
}

/** In its own memory. */
function copyBuffer(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
}
