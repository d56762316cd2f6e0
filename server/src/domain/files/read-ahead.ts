/** A reader may take so much less than an equal share that all of them together leave the thread to others in between. */
const partOfShare = 1 / 4;

/**
 * The memory that all downloads of a process may use beyond what each of them needs to make progress at all. The more
 * readers there are, the less each gets: large pieces make one download fast, and a thousand of them slow.
 */
export class ReadAhead {
  readonly #bytes: number;
  #freeBytes: number;
  #readers = 0;

  constructor(options: { bytes: number }) {
    this.#bytes = options.bytes;
    this.#freeBytes = options.bytes;
  }

  get takenBytes(): number {
    return this.#bytes - this.#freeBytes;
  }

  /** A download begins. Answers what ends it. */
  enter(): () => void {
    this.#readers += 1;
    return () => {
      this.#readers -= 1;
    };
  }

  tryTake(bytes: number): boolean {
    if (bytes > this.#freeBytes || bytes > (this.#bytes * partOfShare) / this.#readers) return false;
    this.#freeBytes -= bytes;
    return true;
  }

  give(bytes: number): void {
    this.#freeBytes += bytes;
  }
}
