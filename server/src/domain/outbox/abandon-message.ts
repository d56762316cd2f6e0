import { linkAuthor, systemAuthor } from '../audit/author.ts';
import type { Engines } from '../engines.ts';
import { markUndeliverable } from './mark-undeliverable.ts';
import { findReceiverStory } from './receiver-story.ts';
import { findStatus, removeLinks, toOneLine } from './server-reply.ts';

/**
 * Abandons a message that a server will not deliver or that its receiver does not want. If it carried a link, the
 * receiver is recorded as unreachable and the sender is told, once. Returns undefined when the message was already
 * abandoned.
 */
export async function abandonMessage(
  engines: Pick<Engines, 'store' | 'random'>,
  accountId: string,
  messageId: string,
  {
    outcome,
    response,
    status = findStatus(response),
    actor,
  }: { outcome: string; response: string; status?: string | undefined; actor: 'mail server' | 'receiver' },
): Promise<{ readonly dropId: string; readonly undeliverable: boolean } | undefined> {
  return engines.store.transaction(async (tx) => {
    const failed = await tx.outbox.abandon(accountId, messageId, toOneLine(outcome));
    if (!failed) return undefined;
    const { kind, dropId, position } = failed;
    const carriedLink = position !== null && (kind === 'invitation' || kind === 'reminder');
    const reason = removeLinks(response);
    const story = findReceiverStory(accountId, failed);
    if (story) {
      const data = { to: failed.to, reason, ...(status === undefined ? {} : { status }) };
      await tx.evidence.append([{ ...story, kind: 'notification.failed', data }]);
    }
    const undeliverable =
      carriedLink &&
      (await markUndeliverable(
        engines,
        tx,
        { accountId, dropId, position },
        {
          author: actor === 'receiver' ? linkAuthor({ dropId, position }, undefined) : systemAuthor(actor),
          reason,
          messageId,
        },
      ));
    return { dropId, undeliverable };
  });
}
