import type { CallOptions } from '../call-options.ts';
import type { AccountEvent, EventPage } from '../generated/wire.ts';
import type { ApiClient } from '../http/api-client.ts';
import { readMessages } from '../http/read-messages.ts';

/** Which events to read: those that match everything that is given; all by default. */
export interface EventFilter {
  /** Only events of these types. */
  types?: readonly AccountEvent['type'][] | undefined;
  /** Only events about this drop. */
  dropId?: string | undefined;
  /** Only events about this request, and about what arrived through it. */
  requestId?: string | undefined;
  /** Only events about drops, requests and entries of the inbox with this external id. */
  externalId?: string | undefined;
}

/** Which events to follow. */
export interface FollowOptions extends EventFilter, CallOptions {
  /** A cursor, or `end` for new events only. Starts with the oldest stored event if not given. */
  cursor?: string | undefined;
  /** The maximum number of events in a page, up to 100. */
  limit?: number | undefined;
}

/** Which events to stream. */
export interface StreamOptions extends EventFilter, CallOptions {
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

  /** Lists a page of events, and optionally waits for one. With a filter, an empty page can have `has_more`. */
  async list({ signal, cursor, limit, wait, ...filter }: EventOptions = {}): Promise<EventPage> {
    return await this.#api.get('events', { ...toQuery(filter), cursor, limit, wait }, { signal });
  }

  /** Yields pages of past and future events, without end. Each page has at least one event. */
  async *follow({ cursor: from, ...options }: FollowOptions = {}): AsyncGenerator<EventPage, never, void> {
    for (let cursor = from; ; ) {
      const page = await this.list({ ...options, cursor, wait: maxWaitSeconds });
      cursor = page.next_cursor;
      if (page.data.length > 0) yield page;
    }
  }

  /**
   * Yields past and future events as they happen, without end, each as a page of its own. Uses one connection, and opens
   * another when it ends, so that no event is missed. If a proxy holds the stream back, use `follow`.
   */
  async *stream({ cursor: from, signal, ...filter }: StreamOptions = {}): AsyncGenerator<EventPage, never, void> {
    let cursor = from;
    for (let failures = 0; ; ) {
      try {
        const response = await this.#api.open('events/stream', { ...toQuery(filter), cursor }, { signal });
        try {
          for await (const { id, data } of readMessages(response)) {
            failures = 0;
            cursor = id ?? cursor;
            if (data === undefined) continue;
            yield { data: [JSON.parse(data) as AccountEvent], next_cursor: cursor ?? '', has_more: false };
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

function toQuery({ types, dropId, requestId, externalId }: EventFilter) {
  return { type: types, drop_id: dropId, request_id: requestId, external_id: externalId };
}
