import { record } from '../audit/record.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { Account, Engines } from '../ports/index.ts';
import { batchSize } from '../sweep.ts';

/** Withdraws a drop or a grant: its links end at once, and its bytes are unreadable from then on. */
export async function revokeDrop(
  engines: Pick<Engines, 'store' | 'random'>,
  account: Account,
  dropId: string,
): Promise<void> {
  await engines.store.transaction(async (tx) => {
    if (!(await tx.drops.revoke(account.id, dropId))) {
      throw new ExchangeError('not_found', 'The account has no such drop, or it has ended.');
    }
    await tx.drops.empty(batchSize, { accountId: account.id, dropId });
    await record(engines, tx, { accountId: account.id, actor: 'admin', action: 'drop.revoked', details: { dropId } });
  });
}
