import { record } from '../audit/record.ts';
import type { Account, AccountChoices, Engines } from '../ports/index.ts';

export async function setAccountChoices(
  engines: Pick<Engines, 'store' | 'random'>,
  account: Account,
  choices: Partial<AccountChoices>,
): Promise<void> {
  await engines.store.transaction(async (tx) => {
    await tx.accounts.setChoices(account.id, choices);
    await record(engines, tx, {
      accountId: account.id,
      actor: 'admin',
      action: 'account.changed',
      details: { ...choices },
    });
  });
}
