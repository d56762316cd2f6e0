import type { Actor, KeyActor } from '../actor.ts';
import type { Author, ByCommand } from '../audit/audit-store.ts';
import { record } from '../audit/record.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { Store } from '../store.ts';
import type { Account, ApiKey, KeyRights } from './account-store.ts';
import { digestApiKey, makeHint, newApiKey } from './api-key.ts';
import { areWithin, parseNetwork } from './network.ts';

/** Two, so that a key can be replaced without any time in which no key works. */
const fullKeysPerAccount = 2;
const restrictedKeysPerAccount = 50;

type Needs = Pick<Engines, 'store' | 'random'> & { readonly pepper: Buffer };

export interface KeyInput extends KeyRights {
  readonly name: string;
}

const everything: KeyInput = { name: '', scopes: null, networks: null, expiresAt: null };

export async function createKey(engines: Needs & ByCommand, account: Account): Promise<{ id: string; apiKey: string }> {
  return engines.store.transaction(async (tx) => {
    await tx.accounts.lock(account.id);
    const live = (await liveKeys(tx, account.id)).filter(({ scopes }) => scopes === null);
    if (live.length >= fullKeysPerAccount) {
      throw new ExchangeError(
        'invalid_input',
        `${account.email} has ${live.length} live keys already. Revoke one first: ${live.map((key) => key.id).join(', ')}.`,
      );
    }
    const { key, apiKey } = await insertNewKey(engines, tx, account.id);
    await recordNewKey(engines, tx, account.id, engines.administrator, key);
    return { id: key.id, apiKey };
  });
}

/** Creates a key for an owner of the account, who may do everything that any key may. */
export async function createOwnersKey(
  engines: Needs,
  { accountId, author }: Actor,
  input: KeyInput,
): Promise<{ key: ApiKey; apiKey: string }> {
  requireNetworks(input.networks);
  return engines.store.transaction(async (tx) => {
    await tx.accounts.lock(accountId);
    const isFull = input.scopes === null;
    const live = (await liveKeys(tx, accountId)).filter(({ scopes }) => (scopes === null) === isFull);
    if (live.length >= (isFull ? fullKeysPerAccount : restrictedKeysPerAccount)) {
      throw new ExchangeError('too_many_keys');
    }
    const created = await insertNewKey(engines, tx, accountId, input);
    if (!created.key.isLive) throw new ExchangeError('invalid_input', 'The key would have ended already.');
    await recordNewKey(engines, tx, accountId, author, created.key);
    return created;
  });
}

function requireNetworks(networks: KeyInput['networks']): void {
  const wrong = networks?.find((network) => !parseNetwork(network));
  if (wrong !== undefined) throw new ExchangeError('invalid_input', `"${wrong}" is not an address or a network.`);
}

/** A key may create keys that can do no more than itself. */
export async function createRestrictedKey(
  engines: Needs,
  caller: KeyActor,
  input: KeyInput & { readonly scopes: NonNullable<KeyInput['scopes']> },
): Promise<{ key: ApiKey; apiKey: string }> {
  const own = caller.key;
  const excess = input.scopes.filter((scope) => own.scopes !== null && !own.scopes.includes(scope));
  if (excess.length > 0) {
    throw new ExchangeError('scope_missing', `Your key does not have the scope ${excess.join(' or ')} itself.`);
  }
  requireNetworks(input.networks);
  const networks = input.networks ?? own.networks;
  if (!areWithin(own.networks, networks)) {
    throw new ExchangeError('network_not_allowed', 'The new key may only be for addresses from which your key works.');
  }
  const expiresAt = input.expiresAt ?? own.expiresAt;
  if (own.expiresAt && expiresAt && expiresAt > own.expiresAt) {
    throw new ExchangeError('invalid_input', 'The new key may not last longer than your key.');
  }
  return engines.store.transaction(async (tx) => {
    await tx.accounts.lock(caller.accountId);
    // Revoked with its descendants a moment ago, it must not make another one.
    if (!(await tx.accounts.unrevokedKey(caller.accountId, own.id))) throw new ExchangeError('unauthorized');
    const live = (await liveKeys(tx, caller.accountId)).filter(({ scopes }) => scopes !== null);
    if (live.length >= restrictedKeysPerAccount) throw new ExchangeError('too_many_keys');
    const rights = { ...input, networks, expiresAt };
    const created = await insertNewKey(engines, tx, caller.accountId, rights, caller.key.id);
    if (!created.key.isLive) throw new ExchangeError('invalid_input', 'The key would have ended already.');
    await recordNewKey(engines, tx, caller.accountId, caller.author, created.key);
    return created;
  });
}

export async function insertNewKey(
  engines: Needs,
  tx: Store,
  accountId: string,
  input: KeyInput = everything,
  createdBy: string | null = null,
): Promise<{ key: ApiKey; apiKey: string }> {
  const apiKey = newApiKey(engines.random);
  const key = await tx.accounts.insertKey(accountId, {
    ...input,
    createdBy,
    id: engines.random.uuid(),
    hint: makeHint(apiKey),
    digest: digestApiKey(apiKey, engines.pepper),
  });
  return { key, apiKey };
}

async function recordNewKey(
  engines: Needs,
  tx: Store,
  accountId: string,
  author: Author,
  { id }: ApiKey,
): Promise<void> {
  await record(engines, tx, { accountId, author, action: 'key.created', details: { keyId: id } });
}

async function liveKeys(tx: Store, accountId: string): Promise<ApiKey[]> {
  return (await tx.accounts.keys(accountId)).filter((key) => key.isLive);
}
