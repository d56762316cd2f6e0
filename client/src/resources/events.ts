import type { CallOptions } from '../call-options.ts';
import type { EventPage } from '../generated/wire.ts';
import type { ApiClient } from '../http/api-client.ts';

/** Which events to follow. */
export interface FollowOptions extends CallOptions {
  /** A cursor, or `end` for what happens from now on. Without it, the oldest event that is kept comes first. */
  after?: string | undefined;
  /** How many events at most, up to 100. */
  limit?: number | undefined;
}

/** Which events to list. */
export interface EventOptions extends FollowOptions {
  /** If there is no event, how many seconds to wait for one, up to 30. */
  wait?: number | undefined;
}

const maxWaitSeconds = 30;

/** What happened to the account, in order. */
export class Events {
  readonly #api: ApiClient;

  /** @internal */
  constructor(api: ApiClient) {
    this.#api = api;
  }

  /** Lists a page of events, and can wait for one. */
  async list({ signal, after, limit, wait }: EventOptions = {}): Promise<EventPage> {
    return await this.#api.get('events', { after, limit, wait }, { signal });
  }

  /** Follows what happened after the cursor and what happens from now on, without an end. Each page has at least one event. */
  async *follow({ after, limit, signal }: FollowOptions = {}): AsyncGenerator<EventPage, never, void> {
    for (let cursor = after; ; ) {
      const page = await this.list({ after: cursor, limit, wait: maxWaitSeconds, signal });
      cursor = page.next_cursor;
      if (page.data.length > 0) yield page;
    }
  }
}
