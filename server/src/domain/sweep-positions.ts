import type { Batch, BatchPosition } from './batch.ts';

/** For one kind in one sweep; the next sweep does the rest. Those that only pass what is held do not count. */
const maxBatches = 1000;
/**
 * A million held records of a kind are passed within five sweeps, and so in about as many minutes. Those of the kind that become due
 * meanwhile wait for so long.
 */
const maxPassingBatches = 100;
/** A kind begins at the front again after so many sweeps, and so in about an hour. */
const sweepsPerPass = 60;

type BatchAfter = (after: BatchPosition | undefined) => Promise<Batch>;

/** Runs batches until nothing is left to do or a sweep has done enough. The next sweep may go on behind `after`. */
export async function runBatches(
  batch: BatchAfter,
  signal: AbortSignal | undefined,
  from?: BatchPosition,
  maxPassing = Number.POSITIVE_INFINITY,
): Promise<{ readonly rows: number; readonly after: BatchPosition | undefined; readonly isComplete: boolean }> {
  let [total, count, passing] = [0, 0, 0];
  let after = from;
  while (count < maxBatches && passing < maxPassing) {
    signal?.throwIfAborted();
    const { rows, more, next } = await batch(after);
    total += rows;
    if (!more) return { rows: total, after, isComplete: true };
    if (rows > 0 || next === after) count += 1;
    else passing += 1;
    after = next;
  }
  return { rows: total, after, isComplete: false };
}

/**
 * Where the sweeps of a process go on, so that not each of them passes everything that legal holds keep. Records become due behind these
 * positions. Those that were passed and are not kept any more are reached when a kind begins at the front again.
 */
export class SweepPositions {
  readonly #maxPassing: number;
  readonly #positions = new Map<string, { readonly after: BatchPosition; readonly sweeps: number }>();

  constructor(maxPassing = maxPassingBatches) {
    this.#maxPassing = maxPassing;
  }

  /** Runs batches of a kind from its position on. Returns how many rows they changed. */
  async runFrom(kind: string, batch: BatchAfter, signal: AbortSignal | undefined): Promise<number> {
    const { after: from, sweeps = 0 } = this.#positions.get(kind) ?? {};
    const { rows, after, isComplete } = await runBatches(batch, signal, from, this.#maxPassing);
    const isLast = isComplete && sweeps + 1 >= sweepsPerPass;
    if (after && !isLast) this.#positions.set(kind, { after, sweeps: sweeps + 1 });
    else this.#positions.delete(kind);
    return rows;
  }

  clear(): void {
    this.#positions.clear();
  }
}
