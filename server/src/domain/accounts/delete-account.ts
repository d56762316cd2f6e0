import type { ByCommand } from '../audit/audit-store.ts';
import { systemAuthor } from '../audit/author.ts';
import { record } from '../audit/record.ts';
import type { Batch } from '../batch.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { Store } from '../store.ts';
import type { Account } from './account-store.ts';

const accountsPerSweep = 10;
const rowsPerBatch = 500;
/** For one account in one sweep; the next sweep does the rest. */
const maxBatches = 2_000;

/**
 * Disables an account for good and marks it, so that sweeps remove everything that belongs to it. It cannot be undone.
 * Has no further effect if it is marked already.
 */
export async function deleteAccount(
  engines: Pick<Engines, 'store' | 'random'> & ByCommand,
  account: Account,
): Promise<void> {
  await engines.store.transaction(async (tx) => {
    await tx.accounts.lockBoth(account.id);
    if (!(await tx.accountDeletions.mark(account.id))) {
      throw new ExchangeError(
        'precondition_failed',
        `A legal hold protects ${account.email} or something of it, so nothing was deleted. To see it: waybilld admin holds list --account ${account.email}`,
      );
    }
    if (account.deleting) return;
    await record(engines, tx, {
      accountId: account.id,
      author: engines.administrator,
      action: 'account.deletion_requested',
      details: { email: account.email },
    });
  });
}

/**
 * Removes what belongs to accounts that were deleted, a bounded number of rows in each transaction. The objects of
 * their files are deleted as those of any other file, so an account disappears with a later sweep. Returns how many
 * accounts have disappeared. While it is known who belongs to an account, `removePeople` removes those who belong to no other.
 */
export async function sweepDeletedAccounts(
  engines: Pick<Engines, 'store' | 'random'>,
  removePeople: (accountId: string) => Promise<void>,
  signal?: AbortSignal,
): Promise<number> {
  const { store } = engines;
  let finished = 0;
  for (const { id, email } of await store.accountDeletions.marked(accountsPerSweep)) {
    await removePeople(id);
    for (let batches = 0; batches < maxBatches; batches += 1) {
      signal?.throwIfAborted();
      const { more } = await store.transaction((tx) => clearBatch(engines, tx, id));
      if (!more) break;
    }
    const isGone = await store.transaction(async (tx) => {
      if (!(await tx.accountDeletions.finish(id))) return false;
      await record(engines, tx, {
        accountId: id,
        author: systemAuthor('sweep'),
        action: 'account.deleted',
        details: { email },
      });
      return true;
    });
    if (isGone) finished += 1;
  }
  return finished;
}

async function clearBatch(
  engines: Pick<Engines, 'random'>,
  tx: Pick<Store, 'accountDeletions' | 'audit'>,
  accountId: string,
): Promise<Batch> {
  const { ended, ...batch } = await tx.accountDeletions.clear(accountId, rowsPerBatch);
  for (const dropId of ended) {
    await record(engines, tx, {
      accountId,
      author: systemAuthor('sweep'),
      action: 'drop.revoked',
      details: { dropId, reason: 'account deleted' },
    });
  }
  return batch;
}
