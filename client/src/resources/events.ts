import type { CallOptions } from '../call-options.ts';
import type { AccountEvent, EventPage } from '../generated/wire.ts';
import type { ApiClient } from '../http/api-client.ts';
import { readMessages } from '../http/read-messages.ts';

/** Which events to follow. */
export interface FollowOptions extends CallOptions {
  /** A cursor, or `end` for new events only. Starts with the oldest stored event if not given. */
  cursor?: string | undefined;
  /** The maximum number of events in a page, up to 100. */
  limit?: number | undefined;
}

/** Which events to stream. */
export interface StreamOptions extends CallOptions {
  /** A cursor, or `end` for new events only. Starts with the oldest stored event if not given. */
  cursor?: string | undefined;
}

/** Which events to list. */
export interface EventOptions extends FollowOptions {
  /** How many seconds to wait if there is no event, up to 30. */
  wait?: number | undefined;
}

/** The longest wait for events that the server allows. */
export const maxWaitSeconds = 30;
/** The pause before a stream that the server has ended is opened again. */
const reconnectMs = 1_000;

/** The events of the account, in order. */
export class Events {
  readonly #api: ApiClient;

  /** @internal */
  constructor(api: ApiClient) {
    this.#api = api;
  }

  /** Lists a page of events, and optionally waits for one. */
  async list({ signal, cursor, limit, wait }: EventOptions = {}): Promise<EventPage> {
    return await this.#api.get('events', { cursor, limit, wait }, { signal });
  }

  /** Yields pages of past and future events, without end. Each page has at least one event. */
  async *follow({ cursor: from, limit, signal }: FollowOptions = {}): AsyncGenerator<EventPage, never, void> {
    for (let cursor = from; ; ) {
      const page = await this.list({ cursor, limit, wait: maxWaitSeconds, signal });
      cursor = page.next_cursor;
      if (page.data.length > 0) yield page;
    }
  }

  /**
   * Yields past and future events as they happen, without end, each as a page of its own. Uses one connection, and opens
   * another when it ends, so that no event is missed. If a proxy holds the stream back, use `follow`.
   */
  async *stream({ cursor: from, signal }: StreamOptions = {}): AsyncGenerator<EventPage, never, void> {
    let cursor = from;
    for (let failures = 0; ; ) {
      try {
        const response = await this.#api.open('events/stream', { cursor }, { signal });
        try {
          for await (const { id, data } of readMessages(response)) {
            failures = 0;
            cursor = id ?? cursor;
            if (data === undefined) continue;
            yield { data: [JSON.parse(data) as AccountEvent], next_cursor: cursor ?? '' };
          }
        } finally {
          response.destroy();
        }
        await this.#api.sleep(reconnectMs, signal);
      } catch (error) {
        failures += 1;
        await this.#api.waitBeforeRetry(error, failures, signal);
      }
    }
  }
}
