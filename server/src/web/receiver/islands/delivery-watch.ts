const shortestPauseMs = 1_000;
const longestPauseMs = 15_000;
/** Limits the wait for a download that was cancelled in the browser. */
const patienceMs = 3_600_000;

export interface DeliveryWatchNeeds {
  /** The ids of the files that were sent in full. */
  readonly delivered: () => Promise<readonly string[] | 'ended'>;
  /** Shows the delivered files, and returns the number of other files. */
  readonly show: (ids: readonly string[]) => number;
  readonly after: (milliseconds: number, then: () => void) => void;
}

/**
 * Asks the server, from the start of a download, which files have been sent in full: often at first, then less often.
 */
export class DeliveryWatch {
  readonly #needs: DeliveryWatchNeeds;
  #pauseMs = 0;
  #leftMs = 0;
  #isWatching = false;
  #known = -1;

  constructor(needs: DeliveryWatchNeeds) {
    this.#needs = needs;
  }

  /** A download has begun. */
  begin(): void {
    this.#pauseMs = shortestPauseMs;
    this.#leftMs = patienceMs;
    if (this.#isWatching) return;
    this.#isWatching = true;
    this.#wait();
  }

  #wait(): void {
    this.#needs.after(this.#pauseMs, () => void this.#ask());
    this.#leftMs -= this.#pauseMs;
    this.#pauseMs = Math.min(this.#pauseMs * 1.5, longestPauseMs);
  }

  async #ask(): Promise<void> {
    // A request that fails is repeated later.
    const ids = await this.#needs.delivered().catch(() => undefined);
    const isOver = ids === 'ended' || (ids && this.#isComplete(ids));
    this.#isWatching = !isOver && this.#leftMs > 0;
    if (this.#isWatching) this.#wait();
  }

  #isComplete(ids: readonly string[]): boolean {
    if (ids.length > this.#known) this.#leftMs = patienceMs;
    this.#known = ids.length;
    return this.#needs.show(ids) === 0;
  }
}
