import { ExchangeError } from '../exchange-error.ts';

export interface LaneOptions {
  /** A function if it changes: each caller that leaves makes room for as many as there may be then. */
  readonly atOnce: number | (() => number);
  /** How long a caller keeps trying while the engine answers no one. */
  readonly silenceMs: number;
  /** How long a caller waits while the engine answers others. */
  readonly waitMs: number;
  readonly maxWaiting: number;
}

/** A caller that may give up, or that waits for a different time than most. */
export interface Caller extends Partial<Pick<LaneOptions, 'silenceMs' | 'waitMs'>> {
  readonly signal?: AbortSignal | undefined;
}

type Patience = Caller & Pick<LaneOptions, 'silenceMs' | 'waitMs'> & { readonly arrivedAt: number };

export interface Place {
  /** How much of `silenceMs` is left. */
  readonly leftMs: number;
  /** Must be called once. `answered`: the engine did what it was asked to do. */
  leave(outcome: 'answered' | 'failed'): void;
}

/**
 * Limits the number of concurrent calls to an engine; the others wait in the order in which they arrived. As long as
 * the engine answers, waiting is only a matter of time. Once it answers no one, every caller gives up after the same
 * time, whether it was waiting or being served.
 */
export class Lane {
  readonly #options: LaneOptions;
  readonly #waiting = new Set<() => void>();
  #inUse = 0;
  #answeredAt = performance.now();

  constructor(options: LaneOptions) {
    this.#options = options;
  }

  get atOnce(): number {
    const { atOnce } = this.#options;
    return typeof atOnce === 'number' ? atOnce : atOnce();
  }

  get inUse(): number {
    return this.#inUse;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  async enter(caller: Caller = {}): Promise<Place> {
    caller.signal?.throwIfAborted();
    const patience = { ...this.#options, ...caller, arrivedAt: performance.now() };
    if (this.#waiting.size === 0 && this.#inUse < this.atOnce) this.#inUse += 1;
    else await this.#wait(patience);
    return {
      leftMs: Math.max(minMs, Math.ceil(this.#leftMs(patience))),
      leave: (outcome) => {
        if (outcome === 'answered') this.#answeredAt = performance.now();
        this.#inUse -= 1;
        this.#admit();
      },
    };
  }

  #admit(): void {
    for (const go of this.#waiting) {
      if (this.#inUse >= this.atOnce) return;
      this.#inUse += 1;
      go();
    }
  }

  #leftMs({ arrivedAt, silenceMs }: Patience): number {
    return Math.max(arrivedAt, this.#answeredAt) + silenceMs - performance.now();
  }

  #wait(patience: Patience): Promise<void> {
    const { signal, silenceMs, waitMs, arrivedAt } = patience;
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
        const leftMs = Math.min(this.#leftMs(patience), arrivedAt + waitMs - performance.now());
        if (leftMs > 0) timer = setTimeout(look, leftMs);
        else end(() => reject(new ExchangeError('unavailable')));
      };
      let timer = setTimeout(look, Math.min(silenceMs, waitMs));
      signal?.addEventListener('abort', abort);
      this.#waiting.add(go);
    });
  }
}

/** A caller that waited until the end still gets a chance. */
const minMs = 1_000;
