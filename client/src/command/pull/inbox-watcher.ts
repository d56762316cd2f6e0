import { isWaybillError } from '../../errors.ts';
import { realSurroundings } from '../../runtime.ts';
import type { Waybill } from '../../waybill.ts';

const longestWaitSeconds = 30;

/** Waits until something arrives in the inbox. */
export class News {
  readonly #client: Waybill;
  readonly #signal: AbortSignal;
  #cursor: string | undefined;

  private constructor(client: Waybill, signal: AbortSignal, cursor: string | undefined) {
    this.#client = client;
    this.#signal = signal;
    this.#cursor = cursor;
  }

  /** From now on: what arrives before the first wait is heard of, too. */
  static async open(client: Waybill, signal: AbortSignal): Promise<News> {
    return new News(client, signal, await endOf(client, signal));
  }

  /** Returns when something has arrived, or after some time: what was given back is available without an event. */
  async wait(seconds: number): Promise<void> {
    const end = Date.now() + seconds * 1000;
    while (this.#cursor !== undefined) {
      const left = Math.ceil((end - Date.now()) / 1000);
      if (left <= 0) return;
      const wait = Math.min(left, longestWaitSeconds);
      try {
        const page = await this.#client.events.list({ after: this.#cursor, wait, signal: this.#signal });
        this.#cursor = page.next_cursor;
        if (page.data.some(({ type }) => type === 'inbox.received')) return;
      } catch (error) {
        if (!isWaybillError(error, 'cursor_expired')) throw error;
        this.#cursor = await endOf(this.#client, this.#signal);
        return;
      }
    }
    await realSurroundings.sleep(spreadMs(seconds), this.#signal);
  }
}

/** About so long: machines that were started together do not all ask at once. */
export function spreadMs(seconds: number): number {
  return seconds * 1000 * (0.9 + 0.2 * Math.random());
}

/** Undefined for a key that may not read events. */
async function endOf(client: Waybill, signal: AbortSignal): Promise<string | undefined> {
  try {
    return (await client.events.list({ after: 'end', limit: 1, signal })).next_cursor;
  } catch (error) {
    if (!isWaybillError(error, 'scope_missing')) throw error;
    return undefined;
  }
}
