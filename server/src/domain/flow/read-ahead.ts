/**
 * The part of the free memory that one reader gets, so that later readers get some too. Pieces shrink as memory fills
 * up.
 */
const partOfFree = 1 / 8;
/** Segments opened before this thread handles other events that have arrived: about two milliseconds. */
const segmentsPerTurn = 16;

/**
 * The memory that all downloads of a process may use beyond the minimum that each needs to make progress, and their
 * turns on its thread.
 */
export class ReadAhead {
  readonly #bytes: number;
  #freeBytes: number;
  #openedInTurn = 0;
  #turnEnds = false;
  readonly #waiting: (() => void)[] = [];

  constructor(options: { bytes: number }) {
    this.#bytes = options.bytes;
    this.#freeBytes = options.bytes;
  }

  get takenBytes(): number {
    return this.#bytes - this.#freeBytes;
  }

  get limitBytes(): number {
    return this.#bytes;
  }

  /**
   * Wait for this before opening and sending a segment. When a thousand readers are ready for their next segment at the
   * same time, any other request would wait for all of them; with turns, it waits for only a few.
   */
  turn(): Promise<void> | undefined {
    if (!this.#turnEnds) {
      this.#turnEnds = true;
      setImmediate(() => this.#nextTurn());
    }
    if (this.#openedInTurn < segmentsPerTurn) {
      this.#openedInTurn += 1;
      return undefined;
    }
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  #nextTurn(): void {
    const next = this.#waiting.splice(0, segmentsPerTurn);
    this.#openedInTurn = next.length;
    this.#turnEnds = next.length > 0;
    if (this.#turnEnds) setImmediate(() => this.#nextTurn());
    for (const go of next) go();
  }

  /** Takes memory for up to `units` units. Returns how many were taken. */
  take(units: number, unitBytes: number): number {
    const taken = Math.min(units, Math.floor((this.#freeBytes * partOfFree) / unitBytes));
    this.#freeBytes -= taken * unitBytes;
    return taken;
  }

  give(bytes: number): void {
    this.#freeBytes += bytes;
  }
}
