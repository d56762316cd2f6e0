import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import { query } from '../query.ts';
import {
  comparePositions,
  type EventFilter,
  type EventPage,
  type EventPosition,
  type StoredEvent,
} from './event-store.ts';
import type { EventWatch, News } from './event-watch.ts';

interface EventQuery {
  readonly after: EventStart;
  readonly limit: number;
  /** If there is no event, waits this long for one. */
  readonly waitSeconds: number;
  readonly filter?: EventFilter | undefined;
}

/**
 * The account's events after a position. `mayStillRead` is called after every wait, also one in which nothing happened,
 * because the caller's key may have been revoked in the meantime.
 */
export async function readEvents(
  engines: FollowEngines,
  accountId: string,
  { after, limit, waitSeconds, filter }: EventQuery,
  { gone, mayStillRead }: { readonly gone: AbortSignal; readonly mayStillRead: () => Promise<unknown> },
): Promise<FollowedPage> {
  const timeIsUp = AbortSignal.any([gone, AbortSignal.timeout(waitSeconds * 1000)]);
  let page: FollowedPage | undefined;
  let hasWaited = false;
  for await (const next of followEvents(engines, accountId, { after, limit, filter }, timeIsUp)) {
    page = next;
    if (page.events.length > 0 || page.more || waitSeconds === 0) break;
    hasWaited = true;
  }
  if (hasWaited && !gone.aborted) await mayStillRead();
  return page as FollowedPage;
}

export type FollowEngines = Pick<Engines, 'store'> & { readonly eventWatch: EventWatch };
export type FollowedPage = Pick<EventPage, 'events' | 'next' | 'more'>;

/** The beginning of events to follow. Undefined: the oldest event that is kept. `end`: only what happens from now on. */
type EventStart = EventPosition | 'end' | undefined;

/**
 * Yields the account's events after a position, page by page: first those that have happened, at least one page even if
 * it is empty, and then each time that more happen. Ends when the signal aborts or the process stops. Whoever asks for no
 * further page reads nothing, and continues later where they were.
 */
export async function* followEvents(
  { store, eventWatch }: FollowEngines,
  accountId: string,
  { after, limit, filter }: Pick<EventQuery, 'after' | 'limit' | 'filter'>,
  signal: AbortSignal,
): AsyncGenerator<FollowedPage, void, void> {
  for (let position = after === 'end' ? await store.events.end() : after; ; ) {
    const page = await store.events.page(accountId, position, limit, filter);
    if (page.lost) throw new ExchangeError('cursor_expired');
    yield page;
    if (signal.aborted) return;
    position = page.next;
    while (!page.more) {
      const outcome = await eventWatch.wait(accountId, position, signal);
      if (outcome === 'over') return;
      if (outcome === 'read again') break;
      const news = selectPage(outcome, position, limit, filter);
      if (news.events.length > 0) yield news;
      position = news.next;
    }
  }
}

/** Selects the events after a position. The news may begin before it, may end before it, and may be more than was asked for. */
function selectPage(
  { events, next }: News,
  position: EventPosition,
  limit: number,
  filter: EventFilter = {},
): FollowedPage {
  const wanted = events
    .filter((event) => comparePositions(event.position, position) > 0 && matchesFilter(event, filter))
    .slice(0, limit);
  const last = wanted.length === limit ? wanted.at(-1)?.position : undefined;
  const end = comparePositions(next, position) > 0 ? next : position;
  return { events: wanted, next: last ?? end, more: last !== undefined };
}

/** As the store selects them. */
function matchesFilter({ type, data }: StoredEvent, { types, dropId, requestId, externalId }: EventFilter): boolean {
  return (
    (types === undefined || types.includes(type)) &&
    (dropId === undefined || data['drop_id'] === dropId) &&
    (requestId === undefined || data['request_id'] === requestId) &&
    (externalId === undefined || data['external_id'] === externalId)
  );
}

/** An event as lists, streams and webhooks contain it. The names follow Standard Webhooks. */
export function toEvent({
  id,
  type,
  createdAt,
  data,
}: {
  readonly id: string;
  readonly type: string;
  readonly createdAt: Date;
  readonly data: unknown;
}) {
  return { id, type, timestamp: createdAt.toISOString(), data };
}

/** The position after every event that has happened. */
export const readLastPosition = query((store) => store.events.end);
