import { record } from '../audit/record.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { Account, Engines, Store } from '../ports/index.ts';
import { digestOf, hintOf, newApiKey } from './api-key.ts';

/** Two, so that a key can be replaced without a moment in which none works. */
const liveKeysPerAccount = 2;

type Needs = Pick<Engines, 'store' | 'random'> & { readonly pepper: Buffer };

export async function createKey(engines: Needs, account: Account): Promise<{ id: string; apiKey: string }> {
  return engines.store.transaction(async (tx) => {
    await tx.accounts.lock(account.id);
    const live = (await tx.accounts.keys(account.id)).filter((key) => key.revokedAt === null);
    if (live.length >= liveKeysPerAccount) {
      throw new ExchangeError(
        'invalid_input',
        `${account.email} has ${live.length} live keys already. Revoke one first: ${live.map((key) => key.id).join(', ')}.`,
      );
    }
    const key = await insertNewKey(engines, tx, account.id);
    await record(engines, tx, {
      accountId: account.id,
      actor: 'admin',
      action: 'key.created',
      details: { keyId: key.id },
    });
    return key;
  });
}

export async function insertNewKey(engines: Needs, tx: Store, accountId: string) {
  const apiKey = newApiKey(engines.random);
  const id = engines.random.uuid();
  await tx.accounts.insertKey(accountId, { id, hint: hintOf(apiKey), digest: digestOf(apiKey, engines.pepper) });
  return { id, apiKey };
}
