import type { ObjectStore } from '../ports.ts';
import type { BufferPool } from './buffer-pool.ts';
import { chunkKey, type SegmentSeal, sealSegment, segmentBytes, segmentsPerChunk } from './sealing.ts';

const putsInFlight = 4;

/**
 * Cuts a stream of plaintext into sealed chunk objects. At most `putsInFlight` chunks are on their way while one more
 * is being filled; the source is not read further until there is room.
 */
export class SealedWriter {
  readonly #objects: ObjectStore;
  readonly #buffers: BufferPool;
  readonly #seal: SegmentSeal;
  readonly #signal: AbortSignal;
  readonly #beforeChunk: (chunk: number) => Promise<void>;

  // A segment is sealed only when the next byte or the end is known, for the last one carries a flag.
  readonly #segment = Buffer.allocUnsafe(segmentBytes);
  #segmentFill = 0;
  #segmentNumber = 0;
  #chunk: { buffer: Buffer; fill: number } | undefined;
  #chunkNumber = 0;
  readonly #inFlight = new Set<Promise<void>>();
  #failure: Error | undefined;

  constructor(options: {
    objects: ObjectStore;
    buffers: BufferPool;
    seal: SegmentSeal;
    signal: AbortSignal;
    /** Called before a chunk's first byte leaves, so that its number is reserved. */
    beforeChunk: (chunk: number) => Promise<void>;
  }) {
    this.#objects = options.objects;
    this.#buffers = options.buffers;
    this.#seal = options.seal;
    this.#signal = options.signal;
    this.#beforeChunk = options.beforeChunk;
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
    while (this.#inFlight.size > 0) await Promise.all(this.#inFlight);
    this.#throwFailure();
    return this.#chunkNumber;
  }

  /** Gives the memory back; to be called however the upload ended. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#inFlight);
    if (this.#chunk) this.#buffers.release(this.#chunk.buffer);
    this.#chunk = undefined;
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
    while (this.#inFlight.size >= putsInFlight) await Promise.race(this.#inFlight);
    this.#throwFailure();
    const key = chunkKey(this.#seal.fileId, this.#chunkNumber);
    this.#chunkNumber += 1;
    this.#chunk = undefined;
    const put = this.#objects
      .put(key, chunk.buffer.subarray(0, chunk.fill), this.#signal)
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
