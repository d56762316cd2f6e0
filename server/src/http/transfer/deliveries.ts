import { ExchangeError } from '../../domain/exchange-error.ts';
import type { ConcurrencyLimiter } from '../../domain/flow/concurrency-limiter.ts';
import { retryThroughOutage } from '../../domain/flow/retry-through-outage.ts';

/** Each holds its request in memory, and no longer a connection, so clients could collect any number of them. */
const mostWaiting = 5_000;

/** The subject of a delivery and its bytes, for the log. */
export type NotedDelivery = Readonly<Record<string, string | number>>;

/**
 * Records what was sent to receivers, some at a time: many downloads may end at the same moment, and no client waits for
 * the record. None is dropped because others wait, or because the database is away, for however long. A download begins only
 * while there is room for its record.
 */
export class Deliveries {
  readonly #lane: ConcurrencyLimiter;
  readonly #waiting = new Set<NotedDelivery>();

  constructor(lane: ConcurrencyLimiter) {
    this.#lane = lane;
  }

  /** The deliveries that are not recorded yet. */
  get waiting(): Iterable<NotedDelivery> {
    return this.#waiting;
  }

  /** Called before a download begins. */
  requireRoom(): void {
    if (this.#waiting.size >= mostWaiting) {
      throw new ExchangeError(
        'unavailable',
        'Too many deliveries are waiting to be recorded. Try again after Retry-After seconds.',
      );
    }
  }

  async note(delivery: NotedDelivery, record: () => Promise<void>): Promise<void> {
    this.#waiting.add(delivery);
    try {
      const recorded = () => retryThroughOutage(record, isUnavailable, Number.POSITIVE_INFINITY);
      await this.#lane.run(recorded, { isEndless: true });
    } finally {
      this.#waiting.delete(delivery);
    }
  }
}

function isUnavailable(error: unknown): boolean {
  return error instanceof ExchangeError && error.code === 'unavailable';
}
