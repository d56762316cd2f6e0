import type { MemoryShare } from '../flow/memory-budget.ts';
import type { ObjectStore } from '../ports/object-store.ts';
import { createSeal, listRuns, withRun } from './chunk-runs.ts';
import type { ChunkRun } from './file-store.ts';
import { chunkKey, type SegmentSeal, sealSegment, segmentBytes, segmentsPerChunk } from './sealing.ts';

const putsInFlight = 4;
/** The most memory that a slow upload holds when memory is short. */
const segmentsWhenSlow = 1;
/** An upload that fills this many segments within this time is no longer slow. */
const fastSegments = 64;
const fastMs = 8_000;
/** Each run is an entry in the file's row; an upload that has had this many runs keeps its chunk size. */
const maxRunsForPace = 100;

/** How the writer records its progress for others to see. Calls are made one at a time. */
export interface Ledger {
  /** Before the object of this number is stored in the last run. */
  claim(object: number): Promise<void>;
  /** Before the first object of a new run is claimed. */
  beginRun(runs: readonly ChunkRun[]): Promise<void>;
  /** All segments below `segment` are stored. */
  stored(segment: number): Promise<void>;
}

/**
 * Cuts a stream of plaintext into sealed chunk objects. A few chunks are being sent while one more is being filled; the
 * source is not read further until there is room.
 */
export class SealedWriter {
  readonly #objects: ObjectStore;
  readonly #signal: AbortSignal;
  readonly #ledger: Ledger;
  readonly #newRunId: () => string;
  readonly #dataKey: Buffer;
  readonly #fileId: string;
  readonly #memory: MemoryShare;

  #runs: readonly ChunkRun[];
  #seal: SegmentSeal;
  /** Objects of the last run for which a PUT has begun. */
  #object: number;
  /** The number of the segment being filled. */
  #segment: number;
  /**
   * The plaintext of that segment. It is sealed only once the next byte or the end is known, because the last segment
   * has a flag.
   */
  #plaintext: Buffer | undefined;
  #fill = 0;
  /** The sealed segments of the chunk being filled. */
  #chunk: Buffer[] = [];
  /** The times at which the most recent segments were sealed, while the upload is slow. */
  #sealedAt: number[] = [];

  readonly #inFlight = new Set<Promise<void>>();
  #written: Promise<void> = Promise.resolve();
  #stored: Promise<void> = Promise.resolve();
  #failure: Error | undefined;
  #closed = false;

  constructor(options: {
    readonly objects: ObjectStore;
    /** `flush` asks the writer to store its chunk even though it is not full. */
    readonly memory: (flush: () => void) => MemoryShare;
    readonly file: { readonly id: string; readonly dataKey: Buffer; readonly runs: readonly ChunkRun[] };
    /** The position at which writing begins: the next object of the last run, and the first segment in it. */
    readonly object: number;
    readonly segment: number;
    readonly signal: AbortSignal;
    readonly ledger: Ledger;
    readonly newRunId: () => string;
  }) {
    const { file } = options;
    this.#objects = options.objects;
    this.#memory = options.memory(() => this.#flush());
    this.#dataKey = file.dataKey;
    this.#fileId = file.id;
    this.#runs = listRuns(file);
    this.#seal = createSeal(file.dataKey, file, this.#run);
    this.#object = options.object;
    this.#segment = options.segment;
    this.#signal = options.signal;
    this.#ledger = options.ledger;
    this.#newRunId = options.newRunId;
  }

  /** The layout of the written file, in the form stored in its row. */
  get layout(): { runs: readonly ChunkRun[]; chunkCount: number } {
    const isPlain = this.#runs.length === 1 && this.#run.id === this.#fileId;
    return { runs: isPlain ? [] : this.#runs, chunkCount: this.#object };
  }

  async write(bytes: Buffer): Promise<void> {
    let offset = 0;
    while (offset < bytes.length) {
      this.#throwFailure();
      this.#plaintext ??= await this.#memory.acquire();
      if (this.#fill === segmentBytes) await this.#sealSegment(this.#plaintext, false);
      const copied = bytes.copy(this.#plaintext, this.#fill, offset, offset + segmentBytes - this.#fill);
      this.#fill += copied;
      offset += copied;
    }
  }

  /** Seals what is left and waits until every chunk is stored. */
  async finish(): Promise<void> {
    this.#plaintext ??= await this.#memory.acquire();
    await this.#sealSegment(this.#plaintext, true);
    await this.#drain();
  }

  /** Waits until every whole chunk is stored. Bytes received after them are discarded and must be sent again. */
  async pause(): Promise<void> {
    const isWhole = this.#fill === segmentBytes && this.#chunk.length + 1 === this.#run.segmentsPerChunk;
    if (isWhole && this.#plaintext) await this.#sealSegment(this.#plaintext, false);
    await this.#drain();
  }

  /** Frees the memory; must be called however the upload ended. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled([...this.#inFlight, this.#stored]);
    for (const slab of this.#chunk.splice(0)) this.#memory.release(slab);
    if (this.#plaintext) this.#memory.release(this.#plaintext);
    this.#plaintext = undefined;
    this.#memory.close();
  }

  get #run(): ChunkRun {
    return this.#runs.at(-1) as ChunkRun;
  }

  async #drain(): Promise<void> {
    while (this.#inFlight.size > 0) await Promise.all(this.#inFlight);
    await this.#stored;
    this.#throwFailure();
  }

  async #sealSegment(plaintext: Buffer, last: boolean): Promise<void> {
    // During this wait, the chunk may be stored and another run may begin.
    const slab = await this.#memory.acquire();
    if (this.#chunk.length === 0) this.#memory.setFillingSince(performance.now());
    const end = sealSegment(this.#seal, this.#segment, last, plaintext.subarray(0, this.#fill), slab, 0);
    this.#chunk.push(slab.subarray(0, end));
    this.#segment += 1;
    this.#fill = 0;
    if (!last && this.#chunk.length < this.#run.segmentsPerChunk) return;
    this.#sendChunk();
    if (!last) this.#speedUp();
    while (this.#inFlight.size >= putsInFlight) await Promise.race(this.#inFlight);
    this.#throwFailure();
  }

  /** Memory is short and this upload is slow: from now on it stores every segment as it arrives. */
  #flush(): void {
    if (this.#closed || this.#chunk.length === 0 || this.#runs.length >= maxRunsForPace) return;
    this.#sendChunk();
    this.#sealedAt = [];
    this.#beginRun(segmentsWhenSlow);
  }

  /** Returns to large chunks when bytes arrive fast again. */
  #speedUp(): void {
    if (this.#run.segmentsPerChunk === segmentsPerChunk || this.#runs.length >= maxRunsForPace) return;
    const now = performance.now();
    this.#sealedAt.push(now);
    if (this.#sealedAt.length > fastSegments) this.#sealedAt.shift();
    const isFast = this.#sealedAt.length === fastSegments && now - (this.#sealedAt[0] as number) < fastMs;
    if (isFast) this.#beginRun(segmentsPerChunk);
  }

  #beginRun(size: number): void {
    const run = { id: this.#newRunId(), firstSegment: this.#segment, segmentsPerChunk: size };
    const runs = withRun({ id: this.#fileId, runs: this.#runs }, run, this.#object);
    this.#runs = runs;
    this.#seal = createSeal(this.#dataKey, { id: this.#fileId, runs }, run);
    this.#object = 0;
    this.#record(() => this.#ledger.beginRun(runs)).catch(() => undefined);
  }

  #sendChunk(): void {
    const slabs = this.#chunk;
    this.#chunk = [];
    this.#memory.setFillingSince(undefined);
    const { id } = this.#run;
    const object = this.#object;
    const segment = this.#segment;
    this.#object += 1;
    const put = this.#record(() => this.#ledger.claim(object)).then(() =>
      this.#objects.put(chunkKey(id, object), slabs, this.#signal),
    );
    const settled = put
      .then(
        () => this.#releaseSlabs(slabs, 'reuse'),
        (error: Error) => {
          this.#failure ??= error;
          // A connection that was cut may still be reading from them.
          this.#releaseSlabs(slabs, 'discard');
        },
      )
      .finally(() => this.#inFlight.delete(settled));
    this.#inFlight.add(settled);
    // In order, because a chunk counts only if all earlier chunks are stored.
    this.#stored = this.#stored.then(() => put).then(() => this.#record(() => this.#ledger.stored(segment)));
    this.#stored.catch((error: Error) => {
      this.#failure ??= error;
    });
  }

  #releaseSlabs(slabs: readonly Buffer[], use: 'reuse' | 'discard'): void {
    for (const slab of slabs) this.#memory.release(wholeSlab(slab), use);
  }

  /** One at a time, in the order requested. */
  #record(entry: () => Promise<void>): Promise<void> {
    this.#written = this.#written.then(() => {
      this.#throwFailure();
      return entry();
    });
    this.#written.catch((error: Error) => {
      this.#failure ??= error;
    });
    return this.#written;
  }

  #throwFailure(): void {
    if (this.#failure) throw this.#failure;
  }
}

/** The slab that a sealed segment was written into. */
function wholeSlab(sealed: Buffer): Buffer {
  return Buffer.from(sealed.buffer as ArrayBuffer);
}
