import type { ByCommand } from '../audit/audit-store.ts';
import { record } from '../audit/record.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { Account } from './account-store.ts';

/** While it is disabled, requests are refused, and events wait to be sent to its webhooks. */
export async function setAccountDisabled(
  engines: Pick<Engines, 'store' | 'random'> & ByCommand,
  account: Account,
  disabled: boolean,
): Promise<void> {
  if (account.deleting && !disabled) {
    throw new ExchangeError('precondition_failed', `${account.email} is being deleted, and cannot be enabled again.`);
  }
  await engines.store.transaction(async (tx) => {
    await tx.accounts.setDisabled(account.id, disabled);
    if (!disabled) await tx.webhookDeliveries.resume(account.id);
    await record(engines, tx, {
      accountId: account.id,
      author: engines.administrator,
      action: disabled ? 'account.disabled' : 'account.enabled',
    });
  });
}
