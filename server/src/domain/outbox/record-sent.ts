import type { Engines } from '../engines.ts';
import { dropEvents } from '../events/drop-events.ts';
import { findReceiverStory } from './receiver-story.ts';
import { removeLinks } from './server-reply.ts';

/** Records that a server has accepted a message. The first one with the link is how its receiver was notified. */
export async function recordSent(
  { store }: Pick<Engines, 'store'>,
  accountId: string,
  messageId: string,
  outcome: string,
): Promise<void> {
  await store.transaction(async (tx) => {
    const sent = await tx.outbox.settle(accountId, messageId, 'sent', outcome);
    if (!sent) return;
    const story = findReceiverStory(accountId, sent);
    if (story) {
      const { channel, to, kind: purpose } = sent;
      const data = { channel, to, purpose, response: removeLinks(outcome) };
      await tx.evidence.append([{ ...story, kind: 'notification.sent', data }]);
    }
    if (!sent.notified) return;
    const { receiver, ...drop } = sent.notified;
    await tx.events.append(dropEvents({ accountId, ...drop }, 'notified', { receiver }));
  });
}
