import { ExchangeError } from '../exchange-error.ts';
import { discardBuffer } from './discard-buffer.ts';

/** The part of the memory that is reserved for uploads in progress; newcomers cannot use it. */
const reservedForProgress = 1 / 4;
/** Above this level, slow uploads are flushed. */
const shortFrom = 3 / 4;
/** A chunk that has been filling for this long belongs to a slow upload. */
const slowAfterMs = 2_000;
const flushEveryMs = 250;
/**
 * How much longer than a newcomer an upload in progress waits: others in progress free memory by storing their chunks.
 */
const progressPatience = 6;
/** Slabs kept for reuse. */
const maxIdleSlabs = 128;

export interface MemoryBudgetOptions {
  readonly slabBytes: number;
  readonly bytes: number;
  /** How long an upload waits for memory before it fails with `unavailable`. */
  readonly waitMs: number;
  /** How many uploads may wait. */
  readonly maxWaiting: number;
}

/** The memory that one upload holds. */
export interface MemoryShare {
  acquire(): Promise<Buffer>;
  /** `discard`: the slab may still be in use elsewhere, and is not reused. */
  release(slab: Buffer, use?: 'reuse' | 'discard'): void;
  /**
   * Records when the chunk being filled was begun; undefined if there is none. The upload that has been filling one
   * for longest is flushed first.
   */
  setFillingSince(since: number | undefined): void;
  close(): void;
}

interface Owner {
  held: number;
  shares: number;
}

interface Share {
  readonly owner: Owner;
  readonly cap: number;
  readonly flush: () => void;
  readonly signal: AbortSignal;
  held: number;
  /** Whether the share has never held anything. */
  isNew: boolean;
  since: number | undefined;
}

interface Waiter {
  readonly share: Share;
  readonly allocate: () => void;
}

/**
 * The memory for the uploads of a process, in slabs that are acquired as bytes arrive. Each owner (an account, a link) has
 * a cap. When memory runs short,
 * - slow uploads are flushed: they store the chunk they are filling, even though it is not full, which frees its slabs;
 * - uploads in progress are served before newcomers, which fail with `unavailable` if they wait too long.
 */
export class MemoryBudget {
  readonly #slabBytes: number;
  readonly #capacity: number;
  readonly #waitMs: number;
  readonly #maxWaiting: number;
  readonly #idle: Buffer[] = [];
  readonly #owners = new Map<string, Owner>();
  readonly #shares = new Set<Share>();
  #waiting: Waiter[] = [];
  #held = 0;
  #flushedAt = Number.NEGATIVE_INFINITY;
  #flushTimer: NodeJS.Timeout | undefined;

  constructor(options: MemoryBudgetOptions) {
    this.#slabBytes = options.slabBytes;
    this.#capacity = Math.max(4, Math.floor(options.bytes / options.slabBytes));
    this.#waitMs = options.waitMs;
    this.#maxWaiting = options.maxWaiting;
  }

  get heldBytes(): number {
    return this.#held * this.#slabBytes;
  }

  get limitBytes(): number {
    return this.#capacity * this.#slabBytes;
  }

  /**
   * Opens an upload's share. All shares of its owner together get up to `part` of the memory. `flush` stores
   * the chunk that is being filled, even though it is not full.
   */
  openShare(owner: string, part: number, upload: { flush: () => void; signal: AbortSignal }): MemoryShare {
    const account = this.#owners.get(owner) ?? { held: 0, shares: 0 };
    account.shares += 1;
    this.#owners.set(owner, account);
    const cap = Math.max(2, Math.floor(this.#capacity * part));
    const share: Share = { ...upload, owner: account, cap, held: 0, isNew: true, since: undefined };
    this.#shares.add(share);
    return {
      acquire: () => this.#acquire(share),
      release: (slab, use = 'reuse') => this.#release(share, slab, use),
      setFillingSince: (since) => {
        share.since = since;
      },
      close: () => {
        this.#shares.delete(share);
        account.shares -= 1;
        if (account.shares === 0) this.#owners.delete(owner);
      },
    };
  }

  #acquire(share: Share): Promise<Buffer> {
    if (this.#held >= this.#capacity * shortFrom || share.owner.held >= share.cap * shortFrom) this.#flush();
    if (share.signal.aborted) return Promise.reject(share.signal.reason as Error);
    if (this.#mayAcquire(share)) return Promise.resolve(this.#allocate(share));
    if (this.#waiting.length >= this.#maxWaiting) return Promise.reject(memoryExhausted());
    return new Promise((resolve, reject) => {
      const waitMs = share.isNew ? this.#waitMs : this.#waitMs * progressPatience;
      const end = (outcome: () => void) => {
        clearTimeout(timer);
        share.signal.removeEventListener('abort', abort);
        this.#waiting = this.#waiting.filter((other) => other !== waiter);
        outcome();
      };
      const timer = setTimeout(() => end(() => reject(memoryExhausted())), waitMs);
      const abort = () => end(() => reject(share.signal.reason as Error));
      share.signal.addEventListener('abort', abort);
      const waiter: Waiter = { share, allocate: () => end(() => resolve(this.#allocate(share))) };
      this.#waiting.push(waiter);
      this.#keepFlushing();
    });
  }

  #mayAcquire({ owner, cap, isNew }: Share): boolean {
    const limit = isNew ? this.#capacity * (1 - reservedForProgress) : this.#capacity;
    return this.#held < limit && owner.held < (isNew ? cap * (1 - reservedForProgress) : cap);
  }

  #allocate(share: Share): Buffer {
    this.#held += 1;
    share.owner.held += 1;
    share.held += 1;
    share.isNew = false;
    return this.#idle.pop() ?? Buffer.allocUnsafeSlow(this.#slabBytes);
  }

  #release(share: Share, slab: Buffer, use: 'reuse' | 'discard'): void {
    this.#held -= 1;
    share.owner.held -= 1;
    share.held -= 1;
    if (use === 'reuse') {
      if (this.#idle.length < maxIdleSlabs) this.#idle.push(slab);
      else discardBuffer(slab);
    }
    this.#serve();
  }

  /** Uploads in progress first, each group in order of arrival. */
  #serve(): void {
    for (const isNew of [false, true]) {
      for (const waiter of this.#waiting.filter(({ share }) => share.isNew === isNew)) {
        if (this.#held >= this.#capacity) return;
        if (!this.#mayAcquire(waiter.share)) continue;
        waiter.allocate();
      }
    }
  }

  /** Flushes those that have been filling a chunk for longest, until as much as is missing becomes free. */
  #flush(): void {
    const now = performance.now();
    if (now - this.#flushedAt < flushEveryMs) return;
    this.#flushedAt = now;
    const slowSince = now - slowAfterMs;
    const slow = [...this.#shares]
      .filter(({ since, held }) => since !== undefined && since < slowSince && held > 1)
      .toSorted((one, other) => (one.since as number) - (other.since as number));
    let missing = Math.max(1, this.#held - this.#capacity / 2, this.#waiting.length);
    for (const share of slow) {
      if (missing <= 0) return;
      missing -= share.held;
      share.flush();
    }
  }

  #keepFlushing(): void {
    this.#flushTimer ??= setInterval(() => {
      if (this.#waiting.length > 0) return this.#flush();
      clearInterval(this.#flushTimer);
      this.#flushTimer = undefined;
    }, flushEveryMs).unref();
  }
}

function memoryExhausted(): ExchangeError {
  return new ExchangeError(
    'unavailable',
    'The server has as many uploads in progress as it can take. Try again after Retry-After seconds.',
  );
}
