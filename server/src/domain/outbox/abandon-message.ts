import type { Author } from '../audit/audit-store.ts';
import { linkAuthor, systemAuthor } from '../audit/author.ts';
import { record } from '../audit/record.ts';
import type { Engines } from '../engines.ts';
import { dropEvents, toReceiverData } from '../events/drop-events.ts';
import type { Link } from '../links/link-store.ts';
import type { Store } from '../store.ts';
import { findReceiverStory } from './obsolete-message.ts';
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

/**
 * Records in the caller's transaction that mails do not reach a receiver, and tells the sender, once. False when that
 * is known, or when the receiver has everything. Without an author, it is a part of a change that the caller records.
 */
export async function markUndeliverable(
  engines: Pick<Engines, 'random'>,
  tx: Store,
  { accountId, dropId, position }: Pick<Link, 'accountId' | 'dropId' | 'position'>,
  { author, reason, messageId }: { author: Author | undefined; reason: string; messageId?: string },
): Promise<boolean> {
  const news = await tx.links.markUndeliverable({ accountId, dropId, position }, reason);
  if (!news) return false;
  const details = { dropId, position, ...(messageId === undefined ? {} : { messageId }) };
  if (author) {
    const addresses = [news.receiver];
    await record(engines, tx, { accountId, author, action: 'receiver.undeliverable', addresses, details });
  }
  // Anyone can enter an address that does not exist on a public page: that is no news for the account.
  if (!news.isUnsolicited || reason === stoppedReason) {
    await tx.outbox.tell(accountId, { kind: 'undeliverable', dropId, position });
  }
  await tx.events.append(dropEvents({ accountId, ...news }, 'undeliverable', toReceiverData(news)));
  return true;
}

/** Shown to the sender in place of a mail server's reply. */
export const stoppedReason = 'the receiver wants no more mail from this account';
