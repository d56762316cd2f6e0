import type { Author } from '../audit/audit-store.ts';
import { record } from '../audit/record.ts';
import type { Engines } from '../engines.ts';
import { dropEvents } from '../events/drop-events.ts';
import type { Link } from '../links/link-store.ts';
import type { Store } from '../store.ts';

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
  await tx.events.append(dropEvents({ accountId, ...news }, 'undeliverable', { receiver: news.receiver }));
  return true;
}

/** Shown to the sender in place of a mail server's reply. */
export const stoppedReason = 'the receiver wants no more mail from this account';
