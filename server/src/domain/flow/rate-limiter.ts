/** Limits work to a number of bytes per second. After a delay, it catches up by at most one second. */
export class RateLimiter {
  readonly #bytesPerSecond: number;
  #dueAt = 0;

  constructor(bytesPerSecond: number) {
    this.#bytesPerSecond = bytesPerSecond;
  }

  /** Waits for as long as these bytes may take. Also ends when the signal is aborted. */
  async acquire(bytes: number, signal: AbortSignal): Promise<void> {
    const now = performance.now();
    this.#dueAt = Math.max(this.#dueAt, now - 1_000) + (bytes / this.#bytesPerSecond) * 1_000;
    if (this.#dueAt <= now || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, this.#dueAt - now);
      signal.addEventListener('abort', end);
    });
  }
}
