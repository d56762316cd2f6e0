/**
 * The part of the free memory that one reader gets, so that later readers get some too. Pieces shrink as memory fills
 * up.
 */
const partOfFree = 1 / 8;

/** The memory that all downloads of a process may use beyond the minimum that each needs to make progress. */
export class ReadAheadMemory {
  readonly limitBytes: number;
  #freeBytes: number;

  constructor(limitBytes: number) {
    this.limitBytes = limitBytes;
    this.#freeBytes = limitBytes;
  }

  get heldBytes(): number {
    return this.limitBytes - this.#freeBytes;
  }

  /** Acquires memory for up to `units` units. Returns for how many; there may be none. */
  acquire(units: number, unitBytes: number): number {
    const acquired = Math.min(units, Math.floor((this.#freeBytes * partOfFree) / unitBytes));
    this.#freeBytes -= acquired * unitBytes;
    return acquired;
  }

  release(bytes: number): void {
    this.#freeBytes += bytes;
  }
}
