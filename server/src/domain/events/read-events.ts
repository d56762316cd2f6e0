import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import { comparePositions } from './compare-positions.ts';
import type { EventPage, EventPosition } from './event-store.ts';
import type { EventWatch, News } from './event-watch.ts';

export interface EventQuery {
  /** Undefined: from the oldest event that is kept. `end`: only what happens from now on. */
  readonly after: EventPosition | 'end' | undefined;
  readonly limit: number;
  /** If there is no event, waits this long for one. */
  readonly waitSeconds: number;
}

/**
 * The account's events after a position. `mayStillRead` is called before what happened during a wait is told, because
 * the caller's key may have been revoked in the meantime.
 */
export async function readEvents(
  { store, eventWatch }: Pick<Engines, 'store'> & { readonly eventWatch: EventWatch },
  accountId: string,
  { after, limit, waitSeconds }: EventQuery,
  { gone, mayStillRead }: { readonly gone: AbortSignal; readonly mayStillRead: () => Promise<unknown> },
): Promise<Pick<EventPage, 'events' | 'next'>> {
  const timeIsUp = AbortSignal.any([gone, AbortSignal.timeout(waitSeconds * 1000)]);
  for (let position = after === 'end' ? await store.events.end() : after; ; ) {
    const page = await store.events.page(accountId, position, limit);
    if (page.lost) throw new ExchangeError('cursor_expired');
    if (page.events.length > 0 || waitSeconds === 0) return page;
    position = page.next;
    const outcome = await eventWatch.wait(accountId, position, timeIsUp);
    if (outcome === 'over') return page;
    await mayStillRead();
    if (outcome === 'read again') continue;
    const news = selectPage(outcome, position, limit);
    if (news.events.length > 0) return news;
  }
}

/** Selects the events after a position. The news may begin before it, may end before it, and may be more than was asked for. */
function selectPage(
  { events, next }: News,
  position: EventPosition,
  limit: number,
): Pick<EventPage, 'events' | 'next'> {
  const wanted = events.filter((event) => comparePositions(event.position, position) > 0).slice(0, limit);
  return { events: wanted, next: (wanted.length === limit && wanted.at(-1)?.position) || next };
}
