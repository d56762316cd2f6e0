import type { Account } from '../accounts/account-store.ts';
import type { Author } from '../audit/audit-store.ts';
import { record } from '../audit/record.ts';
import { batchSize } from '../batch.ts';
import type { Engines } from '../engines.ts';
import { dropEvents } from '../events/drop-events.ts';
import { ExchangeError } from '../exchange-error.ts';

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
      throw new ExchangeError('not_found', `${account.email} has no live drop ${dropId}; it may have ended.`);
    }
    if (undoSeconds === undefined) await tx.drops.empty(batchSize, { accountId: account.id, dropId });
    await record(engines, tx, { accountId: account.id, author, action: 'drop.revoked', details: { dropId } });
    const data = { by: author.name, key_day: ended.keyDay };
    await tx.evidence.append([{ accountId: account.id, dropId, kind: 'drop.revoked', data }]);
    await tx.events.append(dropEvents(ended, 'revoked'));
  });
}
