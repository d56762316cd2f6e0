import type { EngineName } from '../engine-name.ts';
import { ExchangeError } from '../exchange-error.ts';

export interface LimiterOptions {
  /** How many slots there are. A function if this changes: it is called whenever a slot is acquired or released. */
  readonly limit: number | (() => number);
  /** How long a caller keeps trying while no call succeeds. */
  readonly silenceMs: number;
  /** How long a caller waits while other calls succeed. */
  readonly waitMs: number;
  readonly maxWaiting: number;
  /** The message of the error for a caller that gets no slot. */
  readonly message?: string;
  /** The engine that is called. */
  readonly engine?: EngineName;
}

/** A caller that may be aborted, or that waits for a different time than most. */
export interface Caller extends Partial<Pick<LimiterOptions, 'silenceMs' | 'waitMs'>> {
  readonly signal?: AbortSignal | undefined;
  /**
   * Whether a call waits for as long as it takes, however many others wait. The caller limits how many of them there
   * are.
   */
  readonly isEndless?: boolean;
}

type Patience = Caller & Pick<LimiterOptions, 'silenceMs' | 'waitMs'> & { readonly arrivedAt: number };

export interface Slot {
  /** How much of `silenceMs` is left. */
  readonly remainingMs: number;
  /** Must be called; a second call does nothing. */
  release(outcome: 'succeeded' | 'failed'): void;
}

/**
 * Limits the number of concurrent calls; the others wait in the order in which they arrived. As long as calls succeed,
 * waiting is only a matter of time. Once none does, every caller fails with `unavailable` after the same time, whether
 * it was waiting or had a slot.
 */
export class ConcurrencyLimiter {
  readonly #options: LimiterOptions;
  readonly #waiting = new Set<() => void>();
  #inUse = 0;
  #succeededAt = performance.now();

  constructor(options: LimiterOptions) {
    this.#options = options;
  }

  get limit(): number {
    const { limit } = this.#options;
    return typeof limit === 'number' ? limit : limit();
  }

  get inUse(): number {
    return this.#inUse;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  async acquire(caller: Caller = {}): Promise<Slot> {
    caller.signal?.throwIfAborted();
    const patience = { ...this.#options, ...caller, arrivedAt: performance.now() };
    if (this.#waiting.size === 0 && this.#inUse < this.limit) this.#inUse += 1;
    else await this.#wait(patience);
    let isReleased = false;
    return {
      remainingMs: Math.max(minMs, Math.ceil(this.#remainingMs(patience))),
      release: (outcome) => {
        if (isReleased) return;
        isReleased = true;
        if (outcome === 'succeeded') this.#succeededAt = performance.now();
        this.#inUse -= 1;
        this.#admit();
      },
    };
  }

  /** Runs work in a slot, which is released when the work ends, or earlier by the work itself. */
  async run<Result>(work: (slot: Slot) => Promise<Result>, caller?: Caller): Promise<Result> {
    const slot = await this.acquire(caller);
    try {
      const result = await work(slot);
      slot.release('succeeded');
      return result;
    } finally {
      slot.release('failed');
    }
  }

  #admit(): void {
    for (const go of this.#waiting) {
      if (this.#inUse >= this.limit) return;
      this.#inUse += 1;
      go();
    }
  }

  #remainingMs({ arrivedAt, silenceMs }: Patience): number {
    return Math.max(arrivedAt, this.#succeededAt) + silenceMs - performance.now();
  }

  #wait(patience: Patience): Promise<void> {
    const { signal, silenceMs, waitMs, arrivedAt, isEndless = false } = patience;
    const { maxWaiting } = this.#options;
    if (this.#waiting.size >= maxWaiting && !isEndless) return Promise.reject(this.#unavailable());
    return new Promise<void>((resolve, reject) => {
      const end = (outcome: () => void) => {
        clearTimeout(timer);
        this.#waiting.delete(go);
        signal?.removeEventListener('abort', abort);
        outcome();
      };
      const go = () => end(resolve);
      const abort = () => end(() => reject(signal?.reason as Error));
      const check = () => {
        const remainingMs = Math.min(this.#remainingMs(patience), arrivedAt + waitMs - performance.now());
        if (remainingMs > 0) timer = setTimeout(check, remainingMs);
        else end(() => reject(this.#unavailable()));
      };
      let timer = isEndless ? undefined : setTimeout(check, Math.min(silenceMs, waitMs));
      signal?.addEventListener('abort', abort);
      this.#waiting.add(go);
    });
  }

  #unavailable(): ExchangeError {
    const { message, engine } = this.#options;
    const cause = new Error(`none of ${this.limit} calls ended in time, and ${this.#waiting.size} more are waiting`);
    return new ExchangeError('unavailable', message, { engine, ...(engine && { cause }) });
  }
}

/** The time left to a caller that got its slot at the last moment. */
const minMs = 1_000;
