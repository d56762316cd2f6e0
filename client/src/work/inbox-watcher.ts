import { isWaybillError } from '../errors.ts';
import { type Events, maxWaitSeconds } from '../resources/events.ts';
import type { Runtime } from '../runtime.ts';

/** Waits until something arrives in the inbox. */
export class InboxWatcher {
  readonly #events: Events;
  readonly #runtime: Runtime;
  readonly #signal: AbortSignal;
  #cursor: string | undefined;

  private constructor(events: Events, runtime: Runtime, signal: AbortSignal, cursor: string | undefined) {
    this.#events = events;
    this.#runtime = runtime;
    this.#signal = signal;
    this.#cursor = cursor;
  }

  /** Starts watching now: arrivals before the first wait are noticed, too. */
  static async open(events: Events, runtime: Runtime, signal: AbortSignal): Promise<InboxWatcher> {
    return new InboxWatcher(events, runtime, signal, await findLastCursor(events, signal));
  }

  /**
   * Returns when something has arrived, or after the given time, because returned entries become available without an
   * event.
   */
  async waitForArrival(seconds: number): Promise<void> {
    const end = this.#runtime.now() + seconds * 1000;
    while (this.#cursor !== undefined) {
      const left = Math.ceil((end - this.#runtime.now()) / 1000);
      if (left <= 0) return;
      const wait = Math.min(left, maxWaitSeconds);
      try {
        const page = await this.#events.list({ cursor: this.#cursor, wait, signal: this.#signal });
        this.#cursor = page.next_cursor;
        if (page.data.some(({ type }) => type === 'inbox.received')) return;
      } catch (error) {
        if (!isWaybillError(error, 'cursor_expired')) throw error;
        this.#cursor = await findLastCursor(this.#events, this.#signal);
        return;
      }
    }
    await this.#runtime.sleep(jitterMs(this.#runtime, seconds), this.#signal);
  }
}

/** Returns about the given time, so that machines that were started together do not all poll at once. */
export function jitterMs({ random }: Pick<Runtime, 'random'>, seconds: number): number {
  return seconds * 1000 * (0.9 + 0.2 * random());
}

/** Returns undefined for a key that may not read events. */
async function findLastCursor(events: Events, signal: AbortSignal): Promise<string | undefined> {
  try {
    return (await events.list({ cursor: 'end', limit: 1, signal })).next_cursor;
  } catch (error) {
    if (!isWaybillError(error, 'scope_missing')) throw error;
    return undefined;
  }
}
