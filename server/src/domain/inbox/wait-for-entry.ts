import type { Actor } from '../actor.ts';
import type { Engines } from '../engines.ts';
import type { EventWatch } from '../events/event-watch.ts';

/**
 * Waits until an entry can be claimed, the time is over, or the signal aborts. An arrival is an event, at which all that
 * wait look at once; entries that were returned, or whose leases end, become available at a known time.
 */
export async function waitForEntry(
  { store, eventWatch }: Pick<Engines, 'store'> & { readonly eventWatch: EventWatch },
  { accountId }: Actor,
  waitSeconds: number,
  signal: AbortSignal,
): Promise<void> {
  const end = AbortSignal.any([signal, AbortSignal.timeout(waitSeconds * 1000)]);
  for (;;) {
    // The position comes first: what arrives after the look is then an event.
    const position = await store.events.end();
    const seconds = await store.inbox.secondsUntilDue(accountId);
    if (end.aborted || (seconds !== undefined && seconds <= 0)) return;
    const due = seconds === undefined ? end : AbortSignal.any([end, AbortSignal.timeout(Math.ceil(seconds * 1000))]);
    const outcome = await eventWatch.wait(accountId, position, due);
    // The process stops.
    if (outcome === 'over' && !due.aborted) return;
  }
}
