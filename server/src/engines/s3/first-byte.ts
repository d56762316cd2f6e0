/** How long a time counts: no longer than twice this. */
const windowMs = 5_000;

/**
 * The time that the store takes to the first byte of a read: the shortest of the last seconds. Longer ones were spent
 * waiting for other reads, in the store or on this thread, which more reads at once would only lengthen.
 */
export class FirstByte {
  #shortest = Number.POSITIVE_INFINITY;
  #shortestBefore = Number.POSITIVE_INFINITY;
  #windowBegan = performance.now();

  /** 0 until the first is known. */
  get ms(): number {
    const ms = Math.min(this.#shortest, this.#shortestBefore);
    return Number.isFinite(ms) ? ms : 0;
  }

  record(ms: number): void {
    const now = performance.now();
    if (now - this.#windowBegan > windowMs) {
      this.#windowBegan = now;
      this.#shortestBefore = this.#shortest;
      this.#shortest = Number.POSITIVE_INFINITY;
    }
    this.#shortest = Math.min(this.#shortest, ms);
  }
}
