import { type EventStart, type FollowEngines, type FollowedPage, followEvents } from './follow-events.ts';

export interface EventQuery {
  readonly after: EventStart;
  readonly limit: number;
  /** If there is no event, waits this long for one. */
  readonly waitSeconds: number;
}

/**
 * The account's events after a position. `mayStillRead` is called before what happened during a wait is told, because
 * the caller's key may have been revoked in the meantime.
 */
export async function readEvents(
  engines: FollowEngines,
  accountId: string,
  { after, limit, waitSeconds }: EventQuery,
  { gone, mayStillRead }: { readonly gone: AbortSignal; readonly mayStillRead: () => Promise<unknown> },
): Promise<FollowedPage> {
  const timeIsUp = AbortSignal.any([gone, AbortSignal.timeout(waitSeconds * 1000)]);
  let page: FollowedPage | undefined;
  for await (const next of followEvents(engines, accountId, after, limit, timeIsUp)) {
    if (page) await mayStillRead();
    page = next;
    if (page.events.length > 0 || waitSeconds === 0) break;
  }
  return page as FollowedPage;
}
