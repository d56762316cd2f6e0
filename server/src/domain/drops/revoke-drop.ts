import type { Account } from '../accounts/account-store.ts';
import type { Actor } from '../actor.ts';
import type { Author } from '../audit/audit-store.ts';
import { record } from '../audit/record.ts';
import { batchSize } from '../batch.ts';
import type { Engines } from '../engines.ts';
import { dropEvents, toReceiverData } from '../events/drop-events.ts';
import { ExchangeError } from '../exchange-error.ts';
import { dropEnded } from '../outbox/obsolete-message.ts';
import type { Store } from '../store.ts';
import type { SentId } from './sent-drop-store.ts';
import { lockLive } from './write-to-receivers.ts';

/**
 * Revokes a drop or a request: its links stop working at once, and its bytes are unreadable from then on. With
 * `undoSeconds`, its keys and files are kept for that long, so that `restoreDrop` can undo it.
 */
export async function revokeDrop(
  engines: Pick<Engines, 'store' | 'random'>,
  account: Pick<Account, 'id' | 'email'>,
  dropId: string,
  author: Author,
  undoSeconds?: number,
): Promise<void> {
  await engines.store.transaction(async (tx) => {
    const ended =
      undoSeconds === undefined
        ? await tx.drops.revoke(account.id, dropId)
        : await tx.drops.revokeForNow(account.id, dropId, undoSeconds);
    if (!ended) {
      throw new ExchangeError(
        'not_found',
        `${account.email} has no live drop ${dropId}; it may have ended. Check the id in the list of its drops.`,
      );
    }
    if (undoSeconds === undefined) await tx.drops.empty(batchSize, { accountId: account.id, dropId });
    await record(engines, tx, { accountId: account.id, author, action: 'drop.revoked', details: { dropId } });
    const data = { by: author.name, key_day: ended.keyDay };
    await tx.evidence.append([{ accountId: account.id, dropId, kind: 'drop.revoked', data }]);
    await tx.events.append(dropEvents(ended, 'revoked'));
  });
}

export interface RevocationChoices {
  readonly position?: number | undefined;
  readonly ifVersion?: readonly string[] | undefined;
  readonly undoSeconds?: number | undefined;
}

/**
 * Ends a drop or a request of the account, or the link of one receiver, at once. The other receivers keep theirs. With
 * `undoSeconds`, the end of a drop or a request can be undone for that long.
 */
export async function revokeSentDrop(
  engines: Pick<Engines, 'store' | 'random'>,
  actor: Actor,
  sent: SentId,
  { position, ifVersion, undoSeconds }: RevocationChoices,
): Promise<void> {
  const { accountId, email } = actor;
  const { dropId } = sent;
  await engines.store.transaction(async (tx) => {
    await lockLive(tx, actor, sent, ifVersion);
    if (position === undefined)
      return revokeDrop({ ...engines, store: tx }, { id: accountId, email }, dropId, actor.author, undoSeconds);
    const receiver = await revokeLink(tx, actor, sent, position);
    await record(engines, tx, {
      accountId,
      author: actor.author,
      action: 'link.revoked',
      addresses: receiver === '' ? [] : [receiver],
      details: { dropId, position },
    });
  });
}

/** Ends the link of one receiver, or a shared one, and returns the receiver's address, if any. The caller records why. */
export async function revokeLink(
  tx: Store,
  { accountId, author }: Actor,
  sent: SentId,
  position: number,
): Promise<string> {
  const { dropId } = sent;
  const receiver = await tx.sentDrops.revokeLink(accountId, dropId, position);
  if (receiver === undefined) {
    throw new ExchangeError(
      'not_found',
      'There is no such receiver, or their link was revoked already. Check the drop’s list of receivers.',
    );
  }
  await tx.evidence.append([{ accountId, dropId, position, kind: 'link.revoked', data: { by: author.name } }]);
  await tx.events.append(
    receiver === ''
      ? dropEvents({ accountId, ...sent }, 'link_revoked', { shared_link_id: position })
      : dropEvents({ accountId, ...sent }, 'receiver_revoked', toReceiverData({ position, receiver })),
  );
  return receiver;
}

/** How long a person can undo a revocation: long enough to notice a mistake, too short to rely on. */
export const undoSeconds = 10 * 60;

/** Undoes the revocation of a drop or a request: its links work again, and the mails that it stopped are sent. */
export async function restoreDrop(
  engines: Pick<Engines, 'store' | 'random'>,
  actor: Actor,
  sent: SentId,
): Promise<void> {
  const { accountId, author } = actor;
  const { dropId } = sent;
  await engines.store.transaction(async (tx) => {
    if (!(await tx.sentDrops.find(accountId, sent))) throw new ExchangeError('not_found');
    if (!(await tx.drops.restore(accountId, sent))) {
      throw new ExchangeError('link_ended', 'It can no longer be restored. Make a new one instead.');
    }
    await tx.outbox.reviveOfDrop(accountId, dropId, dropEnded);
    await record(engines, tx, { accountId, author, action: 'drop.restored', details: { dropId } });
    await tx.evidence.append([{ accountId, dropId, kind: 'drop.restored', data: { by: author.name } }]);
    await tx.events.append(dropEvents({ accountId, ...sent }, 'restored'));
  });
}
