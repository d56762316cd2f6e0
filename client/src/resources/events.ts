import type { CallOptions } from '../call-options.ts';
import type { EventPage } from '../generated/wire.ts';
import type { ApiClient } from '../http/api-client.ts';

/** Which events to follow. */
export interface FollowOptions extends CallOptions {
  /** A cursor, or `end` for new events only. Starts with the oldest stored event if not given. */
  after?: string | undefined;
  /** The maximum number of events in a page, up to 100. */
  limit?: number | undefined;
}

/** Which events to list. */
export interface EventOptions extends FollowOptions {
  /** How many seconds to wait if there is no event, up to 30. */
  wait?: number | undefined;
}

/** The longest wait for events that the server allows. */
export const maxWaitSeconds = 30;

/** The events of the account, in order. */
export class Events {
  readonly #api: ApiClient;

  /** @internal */
  constructor(api: ApiClient) {
    this.#api = api;
  }

  /** Lists a page of events, and optionally waits for one. */
  async list({ signal, after, limit, wait }: EventOptions = {}): Promise<EventPage> {
    return await this.#api.get('events', { after, limit, wait }, { signal });
  }

  /** Yields pages of past and future events, without end. Each page has at least one event. */
  async *follow({ after, limit, signal }: FollowOptions = {}): AsyncGenerator<EventPage, never, void> {
    for (let cursor = after; ; ) {
      const page = await this.list({ after: cursor, limit, wait: maxWaitSeconds, signal });
      cursor = page.next_cursor;
      if (page.data.length > 0) yield page;
    }
  }
}
