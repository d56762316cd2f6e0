import type { Engines } from '../engines.ts';
import { dropEvents } from '../events/drop-events.ts';

/** Records that a server has accepted a message. The first one with the link is how its receiver was notified. */
export async function recordSent(
  { store }: Pick<Engines, 'store'>,
  accountId: string,
  messageId: string,
  outcome: string,
): Promise<void> {
  await store.transaction(async (tx) => {
    const notified = await tx.outbox.settle(accountId, messageId, 'sent', outcome);
    if (!notified) return;
    const { receiver, ...drop } = notified;
    await tx.events.append(dropEvents({ accountId, ...drop }, 'notified', { receiver }));
  });
}
