/** The limits that all downloads of a process share. */
export interface DownloadLimits {
  readonly memory: ReadAheadMemory;
  readonly turns: EventLoopTurns;
}

export function createDownloadLimits(memoryBytes: number): DownloadLimits {
  return { memory: new ReadAheadMemory(memoryBytes), turns: new EventLoopTurns() };
}

/** Segments opened before this thread handles other events that have arrived: about two milliseconds. */
const segmentsPerTurn = 16;

/**
 * The order in which downloads use this thread. When a thousand readers are ready for their next segment at the same
 * time, any other request would wait for all of them; with turns, it waits for only a few.
 */
export class EventLoopTurns {
  #openedInTurn = 0;
  #isTurnEnding = false;
  readonly #waiting: (() => void)[] = [];

  /** Call this before a segment is opened and sent. Returns undefined if there is no need to wait. */
  waitForTurn(): Promise<void> | undefined {
    if (!this.#isTurnEnding) {
      this.#isTurnEnding = true;
      setImmediate(() => this.#beginTurn());
    }
    if (this.#openedInTurn < segmentsPerTurn) {
      this.#openedInTurn += 1;
      return undefined;
    }
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  #beginTurn(): void {
    const next = this.#waiting.splice(0, segmentsPerTurn);
    this.#openedInTurn = next.length;
    this.#isTurnEnding = next.length > 0;
    if (this.#isTurnEnding) setImmediate(() => this.#beginTurn());
    for (const go of next) go();
  }
}

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
