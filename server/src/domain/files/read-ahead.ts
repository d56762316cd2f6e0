/** Of what is free, so that the last reader to come finds some too: the less is left, the smaller pieces become. */
const partOfFree = 1 / 8;
/** Segments opened before this thread looks after everything else that has arrived meanwhile: about two milliseconds. */
const segmentsPerTurn = 16;

/**
 * The memory that all downloads of a process may use beyond what each of them needs to make progress at all, and their
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

  /**
   * To be waited for before a segment is opened and sent. When a thousand readers are ready for their next segment at the
   * same moment, whoever asks for something else would wait for all of them; like this, for a few.
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

  /** Takes up to so many units of memory. Returns how many they were. */
  take(units: number, unitBytes: number): number {
    const taken = Math.min(units, Math.floor((this.#freeBytes * partOfFree) / unitBytes));
    this.#freeBytes -= taken * unitBytes;
    return taken;
  }

  give(bytes: number): void {
    this.#freeBytes += bytes;
  }
}
