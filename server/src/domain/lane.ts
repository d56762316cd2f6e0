import { ExchangeError } from './exchange-error.ts';

export interface LaneOptions {
  readonly atOnce: number;
  /** How long somebody goes on although the engine answers nobody. */
  readonly silenceMs: number;
  /** How long somebody waits although it does. */
  readonly waitMs: number;
  readonly maxWaiting: number;
}

export interface Place {
  /** How much of `silenceMs` is left. */
  readonly leftMs: number;
  /** To be called once. `answered`: the engine did what it was asked for. */
  leave(outcome: 'answered' | 'failed'): void;
}

/**
 * Calls to an engine, a number of them at a time and the others in the order in which they came. As long as the engine
 * answers, waiting is only a matter of time. Once it answers nobody, everybody gives up after the same time, whether they
 * were waiting or being served.
 */
export class Lane {
  readonly #options: LaneOptions;
  readonly #waiting = new Set<() => void>();
  #free: number;
  #answeredAt = performance.now();

  constructor(options: LaneOptions) {
    this.#options = options;
    this.#free = options.atOnce;
  }

  async enter(signal?: AbortSignal): Promise<Place> {
    signal?.throwIfAborted();
    const arrivedAt = performance.now();
    if (this.#free > 0) this.#free -= 1;
    else await this.#wait(signal, arrivedAt);
    return {
      leftMs: Math.max(minMs, Math.ceil(this.#leftMs(arrivedAt))),
      leave: (outcome) => {
        if (outcome === 'answered') this.#answeredAt = performance.now();
        const [next] = this.#waiting;
        if (next) next();
        else this.#free += 1;
      },
    };
  }

  #leftMs(arrivedAt: number): number {
    return Math.max(arrivedAt, this.#answeredAt) + this.#options.silenceMs - performance.now();
  }

  #wait(signal: AbortSignal | undefined, arrivedAt: number): Promise<void> {
    if (this.#waiting.size >= this.#options.maxWaiting) return Promise.reject(new ExchangeError('unavailable'));
    return new Promise<void>((resolve, reject) => {
      const end = (outcome: () => void) => {
        clearTimeout(timer);
        this.#waiting.delete(go);
        signal?.removeEventListener('abort', abort);
        outcome();
      };
      const go = () => end(resolve);
      const abort = () => end(() => reject(signal?.reason as Error));
      const look = () => {
        const leftMs = Math.min(this.#leftMs(arrivedAt), arrivedAt + this.#options.waitMs - performance.now());
        if (leftMs > 0) timer = setTimeout(look, leftMs);
        else end(() => reject(new ExchangeError('unavailable')));
      };
      let timer = setTimeout(look, Math.min(this.#options.silenceMs, this.#options.waitMs));
      signal?.addEventListener('abort', abort);
      this.#waiting.add(go);
    });
  }
}

/** Whoever has waited until the end still gets a chance. */
const minMs = 1_000;
