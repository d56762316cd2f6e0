import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import { comparePositions } from './compare-positions.ts';
import type { EventPage, EventPosition } from './event-store.ts';
import type { EventWatch, News } from './event-watch.ts';

export type FollowEngines = Pick<Engines, 'store'> & { readonly eventWatch: EventWatch };
export type FollowedPage = Pick<EventPage, 'events' | 'next'>;

/** The beginning of events to follow. Undefined: the oldest event that is kept. `end`: only what happens from now on. */
export type EventStart = EventPosition | 'end' | undefined;

/**
 * Yields the account's events after a position, page by page: first those that have happened, at least one page even if
 * it is empty, and then each time that more happen. Ends when the signal aborts or the process stops. Whoever asks for no
 * further page reads nothing, and continues later where they were.
 */
export async function* followEvents(
  { store, eventWatch }: FollowEngines,
  accountId: string,
  after: EventStart,
  limit: number,
  signal: AbortSignal,
): AsyncGenerator<FollowedPage, void, void> {
  for (let position = after === 'end' ? await store.events.end() : after; ; ) {
    const page = await store.events.page(accountId, position, limit);
    if (page.lost) throw new ExchangeError('cursor_expired');
    yield page;
    position = page.next;
    while (!page.more) {
      const outcome = await eventWatch.wait(accountId, position, signal);
      if (outcome === 'over') return;
      if (outcome === 'read again') break;
      const news = selectPage(outcome, position, limit);
      if (news.events.length === 0) continue;
      yield news;
      position = news.next;
    }
  }
}

/** Selects the events after a position. The news may begin before it, may end before it, and may be more than was asked for. */
function selectPage({ events, next }: News, position: EventPosition, limit: number): FollowedPage {
  const wanted = events.filter((event) => comparePositions(event.position, position) > 0).slice(0, limit);
  return { events: wanted, next: (wanted.length === limit && wanted.at(-1)?.position) || next };
}
