import type { ScanSource } from '../../domain/ports/scanner.ts';

/** A stream that is this slow after this long gives way to another. */
const slowBytesPerSecond = 64 * 1024;
const graceMs = 5_000;
const lookEveryMs = 250;

export interface Stream {
  readonly source: ScanSource;
  readonly sentBytes: number;
  /** All bytes are sent; only clamd's verdict is missing. */
  readonly complete: boolean;
  abandon(): void;
}

/**
 * clamd serves at most MaxQueue connections (100 by default) and leaves all others waiting, so a hundred slow uploads
 * would keep all other files from being scanned. Streams are therefore counted: when all are taken, the slowest upload
 * loses its stream, and its file is scanned once it is stored.
 */
export class StreamSlots {
  readonly #limit: number;
  readonly #now: () => number;
  readonly #since = new Map<Stream, number>();
  readonly #waiting = new Map<Stream, (entered: boolean) => void>();
  #looking: NodeJS.Timeout | undefined;

  constructor(limit: number, now: () => number) {
    this.#limit = limit;
    this.#now = now;
  }

  /** False when there is no room for an arriving stream; a stored one waits for its turn. */
  async acquire(stream: Stream): Promise<boolean> {
    if (this.#since.size >= this.#limit) this.#slowest()?.abandon();
    if (this.#since.size < this.#limit) {
      this.#since.set(stream, this.#now());
      return true;
    }
    if (stream.source === 'arriving') return false;
    this.#keepLooking();
    return new Promise((resolve) => this.#waiting.set(stream, resolve));
  }

  release(stream: Stream): void {
    this.#waiting.get(stream)?.(false);
    this.#waiting.delete(stream);
    if (!this.#since.delete(stream)) return;
    const [next] = this.#waiting;
    if (!next) return;
    this.#waiting.delete(next[0]);
    this.#since.set(next[0], this.#now());
    next[1](true);
  }

  /** A stream that was too young to count as slow may count as slow by now. */
  #keepLooking(): void {
    this.#looking ??= setInterval(() => {
      if (this.#waiting.size > 0) return this.#slowest()?.abandon();
      clearInterval(this.#looking);
      this.#looking = undefined;
    }, lookEveryMs).unref();
  }

  #slowest(): Stream | undefined {
    let slowest: Stream | undefined;
    let slowestRate = slowBytesPerSecond;
    for (const [stream, since] of this.#since) {
      const ageMs = this.#now() - since;
      const rate = (stream.sentBytes * 1000) / ageMs;
      if (stream.source === 'stored' || stream.complete || ageMs < graceMs || rate >= slowestRate) continue;
      slowest = stream;
      slowestRate = rate;
    }
    return slowest;
  }
}
