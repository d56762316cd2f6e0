import type { Engines } from '../engines.ts';
import type { EventWatch } from '../events/event-watch.ts';
import type { KeptMessage, TestMessageFilter } from './test-message-store.ts';

interface WantedMessages {
  readonly filter: TestMessageFilter;
  readonly after: Pick<KeptMessage, 'sequence'> | undefined;
  readonly count: number;
  readonly waitSeconds: number;
}

/** Lists the kept messages of a test account, newest first. Waits for one if there is none: each that is kept is an event. */
export async function listTestMessages(
  { store, eventWatch }: Pick<Engines, 'store'> & { readonly eventWatch: EventWatch },
  accountId: string,
  { filter, after, count, waitSeconds }: WantedMessages,
  signal: AbortSignal,
): Promise<KeptMessage[]> {
  const end = AbortSignal.any([signal, AbortSignal.timeout(waitSeconds * 1000)]);
  for (;;) {
    // The position comes first: what is kept after the look is then an event.
    const position = waitSeconds > 0 ? await store.events.end() : undefined;
    const messages = await store.testMessages.page(accountId, filter, after, count);
    if (messages.length > 0 || position === undefined || end.aborted) return messages;
    const outcome = await eventWatch.wait(accountId, position, end);
    // The process stops.
    if (outcome === 'over' && !end.aborted) return messages;
  }
}
