import { ExchangeError } from '../../domain/exchange-error.ts';

export interface TurnsOptions {
  readonly atOnce: number;
  /** How long somebody waits before they are told to come back later. */
  readonly waitMs: number;
  readonly maxWaiting: number;
}

/**
 * Lets a few in at a time, in the order in which they came. When a thousand transfers begin in the same second, each needs
 * several queries before its first byte; all at once they would keep everybody else from the database and from this
 * thread, and time out themselves. In turn, the last of them begins as soon, and others hardly notice.
 */
export class Turns {
  readonly #options: TurnsOptions;
  readonly #waiting = new Set<() => void>();
  #free: number;

  constructor(options: TurnsOptions) {
    this.#options = options;
    this.#free = options.atOnce;
  }

  /** Waits for a turn. Returns what ends it; to end it twice does nothing. */
  async take(waitMs = this.#options.waitMs): Promise<() => void> {
    if (this.#free > 0) this.#free -= 1;
    else await this.#wait(waitMs);
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      this.#pass();
    };
  }

  #wait(waitMs: number): Promise<void> {
    if (this.#waiting.size >= this.#options.maxWaiting) return Promise.reject(busy());
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(go);
        reject(busy());
      }, waitMs);
      const go = () => {
        clearTimeout(timer);
        resolve();
      };
      this.#waiting.add(go);
    });
  }

  #pass(): void {
    const [next] = this.#waiting;
    if (!next) {
      this.#free += 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}

function busy(): ExchangeError {
  return new ExchangeError('unavailable', 'Too many transfers are beginning at the moment. Try again shortly.');
}
