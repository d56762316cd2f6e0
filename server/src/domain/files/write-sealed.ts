import type { ObjectStore } from '../ports.ts';
import type { BufferPool } from './buffer-pool.ts';
import { chunkKey, type SegmentSeal, sealSegment, segmentBytes, segmentsPerChunk } from './sealing.ts';

const standardPutsInFlight = 4;

/**
 * Cuts a stream of plaintext into sealed chunk objects. A few chunks are on their way while one more
 * is being filled; the source is not read further until there is room.
 */
export class SealedWriter {
  readonly #objects: ObjectStore;
  readonly #buffers: BufferPool;
  readonly #seal: SegmentSeal;
  readonly #signal: AbortSignal;
  readonly #beforeChunk: (chunk: number) => Promise<void>;
  readonly #afterChunk: (chunk: number) => Promise<void>;
  readonly #putsInFlight: number;

  // A segment is sealed only when the next byte or the end is known, for the last one carries a flag.
  readonly #segment = Buffer.allocUnsafe(segmentBytes);
  #segmentFill = 0;
  #segmentNumber: number;
  #chunk: { buffer: Buffer; fill: number } | undefined;
  #chunkNumber: number;
  readonly #inFlight = new Set<Promise<void>>();
  #failure: Error | undefined;

  constructor(options: {
    objects: ObjectStore;
    buffers: BufferPool;
    seal: SegmentSeal;
    signal: AbortSignal;
    /** Called before a chunk's first byte leaves, so that its number is reserved. */
    beforeChunk: (chunk: number) => Promise<void>;
    /** Called when a chunk is stored; in order, where one is on its way at a time. */
    afterChunk?: (chunk: number) => Promise<void>;
    putsInFlight?: number;
    /** Where an upload that was broken off goes on. */
    firstChunk?: number;
  }) {
    this.#objects = options.objects;
    this.#buffers = options.buffers;
    this.#seal = options.seal;
    this.#signal = options.signal;
    this.#beforeChunk = options.beforeChunk;
    this.#afterChunk = options.afterChunk ?? (async () => undefined);
    this.#putsInFlight = options.putsInFlight ?? standardPutsInFlight;
    this.#chunkNumber = options.firstChunk ?? 0;
    this.#segmentNumber = this.#chunkNumber * segmentsPerChunk;
  }

  async write(bytes: Buffer): Promise<void> {
    let offset = 0;
    while (offset < bytes.length) {
      if (this.#segmentFill === segmentBytes) await this.#flushSegment(false);
      const copied = bytes.copy(this.#segment, this.#segmentFill, offset);
      this.#segmentFill += copied;
      offset += copied;
    }
  }

  /** Seals what is left and waits until every chunk is stored. Answers how many there are. */
  async finish(): Promise<number> {
    await this.#flushSegment(true);
    await this.#drain();
    return this.#chunkNumber;
  }

  /** Waits until every whole chunk is stored; what lies behind them is forgotten, to be sent again. */
  async pause(): Promise<void> {
    const isWhole = this.#segmentFill === segmentBytes && (this.#segmentNumber + 1) % segmentsPerChunk === 0;
    if (isWhole) await this.#flushSegment(false);
    await this.#drain();
  }

  /** Gives the memory back; to be called however the upload ended. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#inFlight);
    if (this.#chunk) this.#buffers.release(this.#chunk.buffer);
    this.#chunk = undefined;
  }

  async #drain(): Promise<void> {
    while (this.#inFlight.size > 0) await Promise.all(this.#inFlight);
    this.#throwFailure();
  }

  async #flushSegment(last: boolean): Promise<void> {
    this.#chunk ??= { buffer: await this.#buffers.acquire(), fill: 0 };
    const chunk = this.#chunk;
    const plaintext = this.#segment.subarray(0, this.#segmentFill);
    chunk.fill = sealSegment(this.#seal, this.#segmentNumber, last, plaintext, chunk.buffer, chunk.fill);
    this.#segmentNumber += 1;
    this.#segmentFill = 0;
    if (last || this.#segmentNumber % segmentsPerChunk === 0) await this.#sendChunk(chunk);
  }

  async #sendChunk(chunk: { buffer: Buffer; fill: number }): Promise<void> {
    await this.#beforeChunk(this.#chunkNumber);
    while (this.#inFlight.size >= this.#putsInFlight) await Promise.race(this.#inFlight);
    this.#throwFailure();
    const number = this.#chunkNumber;
    const key = chunkKey(this.#seal.fileId, number);
    this.#chunkNumber += 1;
    this.#chunk = undefined;
    const put = this.#objects
      .put(key, chunk.buffer.subarray(0, chunk.fill), this.#signal)
      .then(() => this.#afterChunk(number))
      .catch((error: Error) => {
        this.#failure ??= error;
      })
      .finally(() => {
        this.#inFlight.delete(put);
        this.#buffers.release(chunk.buffer);
      });
    this.#inFlight.add(put);
  }

  #throwFailure(): void {
    if (this.#failure) throw this.#failure;
  }
}
