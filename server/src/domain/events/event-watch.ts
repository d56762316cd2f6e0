import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { EventPosition, StoredEvent } from './event-store.ts';
import { comparePositions } from './event-store.ts';

const lookEveryMs = 250;
const eventsPerLook = 500;
/** A waiter is a connection and a few hundred bytes. */
const maxWaiting = 20_000;
/** How many resume in the same turn of the event loop, so that a thousand do not read at once. */
const toldAtOnce = 200;

/** The result of one look, for one account. */
export interface News {
  readonly events: readonly StoredEvent[];
  readonly next: EventPosition;
}

type Outcome = News | 'read again' | 'over';

/**
 * Reports new events to the requests that wait in this process. While any request waits, one query after another reads
 * the events of all accounts, however many wait; while none does, there is no query.
 */
export class EventWatch {
  readonly #engines: Pick<Engines, 'store'>;
  readonly #waiting = new Map<string, Set<(outcome: Outcome) => void>>();
  #size = 0;
  /** Events up to this position were reported to everyone who was waiting. */
  #seen: EventPosition | undefined;
  /**
   * Between this position and `#seen` nothing has happened. Transactions move `#seen` even so, and if everyone whom it has
   * overtaken read again, a busy machine would read the more, the slower it is.
   */
  #quietSince: EventPosition | undefined;
  #isStopped = false;

  constructor(engines: Pick<Engines, 'store'>) {
    this.#engines = engines;
  }

  /**
   * Waits for events of the account after a position, which is the end of all events when the caller looked. `over` when
   * the signal aborts or the process stops; `read again` when there may have been events in the meantime.
   */
  async wait(accountId: string, position: EventPosition, signal: AbortSignal): Promise<Outcome> {
    if (this.#isStopped || signal.aborted) return 'over';
    if (this.#quietSince && comparePositions(position, this.#quietSince) < 0) return 'read again';
    if (this.#size >= maxWaiting)
      throw new ExchangeError('unavailable', undefined, { cause: new Error('too many wait for events') });
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    const stopWaiting = () => resolve('over');
    signal.addEventListener('abort', stopWaiting, { once: true });
    const ofAccount = this.#waiting.get(accountId) ?? new Set();
    this.#waiting.set(accountId, ofAccount.add(resolve));
    this.#size += 1;
    if (this.#seen === undefined) {
      this.#seen = position;
      this.#quietSince = position;
      void this.#look();
    }
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', stopWaiting);
      ofAccount.delete(resolve);
      if (ofAccount.size === 0 && this.#waiting.get(accountId) === ofAccount) this.#waiting.delete(accountId);
      this.#size -= 1;
    }
  }

  /** From now on, no one waits. */
  stop(): void {
    this.#isStopped = true;
    for (const accountId of this.#waiting.keys()) void this.#tell(accountId, 'over');
  }

  async #look(): Promise<void> {
    for (let isMore = false; this.#seen; ) {
      if (!isMore) await new Promise((resolve) => setTimeout(resolve, lookEveryMs).unref());
      if (this.#size === 0) break;
      // While the database is out of reach there is no news, and a waiting request gets its response when its time is up.
      const { events: log } = this.#engines.store;
      const page = await log.pageOfAll(this.#seen, eventsPerLook).catch(() => undefined);
      isMore = page?.more ?? false;
      if (!page) continue;
      const { events, next } = page;
      this.#seen = next;
      if (events.length > 0) this.#quietSince = next;
      for (const [accountId, found] of Map.groupBy(events, (event) => event.accountId)) {
        await this.#tell(accountId, { events: found, next });
      }
    }
    this.#seen = undefined;
    this.#quietSince = undefined;
  }

  async #tell(accountId: string, outcome: Outcome): Promise<void> {
    const told = [...(this.#waiting.get(accountId) ?? [])];
    this.#waiting.delete(accountId);
    for (const [index, tell] of told.entries()) {
      if (index > 0 && index % toldAtOnce === 0) await new Promise((resolve) => setImmediate(resolve));
      tell(outcome);
    }
  }
}
