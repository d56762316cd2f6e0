import { record } from '../audit/record.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { Account, Engines } from '../ports/index.ts';

export async function revokeKey(
  engines: Pick<Engines, 'store' | 'random'>,
  account: Pick<Account, 'id' | 'email'>,
  keyId: string,
  actor = 'admin',
): Promise<void> {
  await engines.store.transaction(async (tx) => {
    const revoked = await tx.accounts.revokeKey(account.id, keyId);
    if (!revoked) throw new ExchangeError('not_found', `${account.email} has no live key ${keyId}.`);
    await record(engines, tx, { accountId: account.id, actor, action: 'key.revoked', details: { keyId } });
  });
}
