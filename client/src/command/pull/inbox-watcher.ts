import { isWaybillError } from '../../errors.ts';
import { maxWaitSeconds } from '../../resources/events.ts';
import { defaultRuntime } from '../../runtime.ts';
import type { Waybill } from '../../waybill.ts';

/** Waits until something arrives in the inbox. */
export class InboxWatcher {
  readonly #client: Waybill;
  readonly #signal: AbortSignal;
  #cursor: string | undefined;

  private constructor(client: Waybill, signal: AbortSignal, cursor: string | undefined) {
    this.#client = client;
    this.#signal = signal;
    this.#cursor = cursor;
  }

  /** Starts watching now: arrivals before the first wait are noticed, too. */
  static async open(client: Waybill, signal: AbortSignal): Promise<InboxWatcher> {
    return new InboxWatcher(client, signal, await findLastCursor(client, signal));
  }

  /**
   * Returns when something has arrived, or after the given time, because returned entries become available without an
   * event.
   */
  async waitForArrival(seconds: number): Promise<void> {
    const end = Date.now() + seconds * 1000;
    while (this.#cursor !== undefined) {
      const left = Math.ceil((end - Date.now()) / 1000);
      if (left <= 0) return;
      const wait = Math.min(left, maxWaitSeconds);
      try {
        const page = await this.#client.events.list({ cursor: this.#cursor, wait, signal: this.#signal });
        this.#cursor = page.next_cursor;
        if (page.data.some(({ type }) => type === 'inbox.received')) return;
      } catch (error) {
        if (!isWaybillError(error, 'cursor_expired')) throw error;
        this.#cursor = await findLastCursor(this.#client, this.#signal);
        return;
      }
    }
    await defaultRuntime.sleep(jitterMs(seconds), this.#signal);
  }
}

/** Returns about the given time, so that machines that were started together do not all poll at once. */
export function jitterMs(seconds: number): number {
  return seconds * 1000 * (0.9 + 0.2 * Math.random());
}

/** Returns undefined for a key that may not read events. */
async function findLastCursor(client: Waybill, signal: AbortSignal): Promise<string | undefined> {
  try {
    return (await client.events.list({ cursor: 'end', limit: 1, signal })).next_cursor;
  } catch (error) {
    if (!isWaybillError(error, 'scope_missing')) throw error;
    return undefined;
  }
}
