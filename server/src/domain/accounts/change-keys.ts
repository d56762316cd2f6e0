import { limits } from '@waybill/protocol';
import type { Actor, KeyActor } from '../actor.ts';
import type { Author, ByCommand } from '../audit/audit-store.ts';
import { record } from '../audit/record.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { Store } from '../store.ts';
import type { Account, ApiKey, KeyRights } from './account-store.ts';
import { digestApiKey, makeHint, newApiKey } from './api-key.ts';
import { areWithin, parseNetwork } from './network.ts';
import { openTestAccount } from './open-test-account.ts';

/** Two, so that a key can be replaced without any time in which no key works. */
const fullKeysPerAccount = 2;
const restrictedKeysPerAccount = 50;

type Needs = Pick<Engines, 'store' | 'random'>;
type NewKeyNeeds = Needs & { readonly pepper: Buffer };
type TestKeyNeeds = NewKeyNeeds & Pick<Engines, 'policy'>;

/** Whether a key is one of an account, or of its test account. */
export type KeyMode = 'live' | 'test';

export interface KeyInput extends KeyRights {
  readonly name: string;
}

/** Without a mode: that of the key that creates it. */
export type RestrictedKeyInput = KeyInput & {
  readonly scopes: NonNullable<KeyInput['scopes']>;
  readonly mode?: KeyMode | undefined;
};

const everything: KeyInput = { name: '', scopes: null, networks: null, expiresAt: null };

/** Creates a key that may do everything: of the account, or of its test account. */
export async function createKey(
  engines: TestKeyNeeds & ByCommand,
  { id: accountId }: Account,
  mode: KeyMode = 'live',
): Promise<{ id: string; apiKey: string; account: Pick<Account, 'email'> }> {
  return engines.store.transaction(async (tx) => {
    await tx.accounts.lock(accountId);
    const account =
      mode === 'test'
        ? await openTestAccount(engines, tx, engines.administrator, accountId)
        : await tx.accounts.byId(accountId);
    if (!account) throw new ExchangeError('not_found');
    const live = (await liveKeys(tx, account.id)).filter(({ scopes }) => scopes === null);
    if (live.length >= fullKeysPerAccount) {
      throw new ExchangeError(
        'invalid_input',
        `${account.email} has ${live.length} live keys already. Revoke one first: ${live.map((key) => key.id).join(', ')}.`,
      );
    }
    const { key, apiKey } = await insertNewKey(engines, tx, account);
    await recordNewKey(engines, tx, account.id, engines.administrator, key);
    return { id: key.id, apiKey, account };
  });
}

/** Creates a key for an owner of the account, who may do everything that any key may. */
export async function createOwnersKey(
  engines: NewKeyNeeds,
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
    const created = await insertNewKey(engines, tx, { id: accountId, testOf: null }, input);
    if (!created.key.isLive)
      throw new ExchangeError('invalid_input', 'The key would have ended already. Choose a time in the future.');
    await recordNewKey(engines, tx, accountId, author, created.key);
    return created;
  });
}

function requireNetworks(networks: KeyInput['networks']): void {
  const wrong = networks?.find((network) => !parseNetwork(network));
  if (wrong !== undefined)
    throw new ExchangeError(
      'invalid_input',
      `"${wrong}" is not an address or a network. Write it as 192.0.2.7 or 192.0.2.0/24.`,
    );
}

/** A key may create keys that can do no more than itself. That of a live account may also create keys of its test account. */
export async function createRestrictedKey(
  engines: TestKeyNeeds,
  caller: KeyActor,
  { mode = caller.isTest ? 'test' : 'live', ...input }: RestrictedKeyInput,
): Promise<{ key: ApiKey; apiKey: string }> {
  const own = caller.key;
  if (caller.isTest && mode !== 'test') {
    throw new ExchangeError('scope_missing', 'A test key creates test keys only. Use a live key to create a live key.');
  }
  const excess = input.scopes.filter((scope) => own.scopes !== null && !own.scopes.includes(scope));
  if (excess.length > 0) {
    throw new ExchangeError(
      'scope_missing',
      `Your key does not have the scope ${excess.join(' or ')} itself. Leave it out, or use a key that has it.`,
    );
  }
  requireNetworks(input.networks);
  const networks = input.networks ?? own.networks;
  if (!areWithin(own.networks, networks)) {
    throw new ExchangeError(
      'network_not_allowed',
      'The new key may only be for addresses from which your key works. Leave out "networks" to take over those of your key.',
    );
  }
  const expiresAt = input.expiresAt ?? own.expiresAt;
  if (own.expiresAt && expiresAt && expiresAt > own.expiresAt) {
    throw new ExchangeError(
      'invalid_input',
      `The new key may not last longer than your key. Choose a time up to ${own.expiresAt.toISOString()}, or leave it out.`,
    );
  }
  return engines.store.transaction(async (tx) => {
    await tx.accounts.lock(caller.accountId);
    // Revoked with its descendants a moment ago, it must not make another one.
    if (!(await tx.accounts.unrevokedKey(caller.accountId, own.id))) throw new ExchangeError('unauthorized');
    const account =
      mode === 'test'
        ? await openTestAccount(engines, tx, caller.author, caller.accountId)
        : { id: caller.accountId, testOf: null };
    const live = (await liveKeys(tx, account.id)).filter(({ scopes }) => scopes !== null);
    if (live.length >= restrictedKeysPerAccount) throw new ExchangeError('too_many_keys');
    const rights = { ...input, networks, expiresAt };
    const created = await insertNewKey(engines, tx, account, rights, caller.key.id);
    if (!created.key.isLive)
      throw new ExchangeError('invalid_input', 'The key would have ended already. Choose a time in the future.');
    await recordNewKey(engines, tx, account.id, caller.author, created.key);
    return created;
  });
}

export async function insertNewKey(
  engines: NewKeyNeeds,
  tx: Store,
  { id: accountId, testOf }: Pick<Account, 'id' | 'testOf'>,
  input: KeyInput = everything,
  createdBy: string | null = null,
): Promise<{ key: ApiKey; apiKey: string }> {
  const apiKey = newApiKey(engines.random, testOf === null ? 'live' : 'test');
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
  engines: NewKeyNeeds,
  tx: Store,
  accountId: string,
  author: Author,
  { id }: ApiKey,
): Promise<void> {
  await record(engines, tx, { accountId, author, action: 'key.created', details: { keyId: id } });
}

/** Without those of its test account, which have limits of their own. */
async function liveKeys(tx: Store, accountId: string): Promise<ApiKey[]> {
  return (await tx.accounts.keys(accountId)).filter((key) => key.isLive && key.accountId === accountId);
}

export interface Revocation {
  readonly keyId: string;
  /**
   * Whether the keys that the key made are revoked too, with those that they made and so on, and the webhooks of all of
   * them disabled.
   */
  readonly descendants?: boolean;
}

export interface Revoked {
  /** All keys that were revoked. */
  readonly ids: readonly string[];
  readonly webhooksDisabled: number;
  /** Webhooks that the key created and that stay active. */
  readonly webhooksLive: number;
}

export async function revokeKey(
  engines: Needs,
  account: Pick<Account, 'id' | 'email'>,
  { keyId, descendants = false }: Revocation,
  author: Author,
): Promise<Revoked> {
  return engines.store.transaction(async (tx) => {
    // No key is made by one that is being revoked: creating keys of either account takes one of these locks.
    await tx.accounts.lockBoth(account.id);
    const ids = await tx.accounts.revokeKey(account.id, keyId, descendants);
    if (ids.length === 0)
      throw new ExchangeError(
        'not_found',
        `${account.email} has no live key ${keyId}. Check the id in the list of its keys.`,
      );
    const disabled = descendants ? await tx.webhooks.disableMadeBy(account.id, keyId) : [];
    const made = { descendants: ids.filter((id) => id !== keyId), webhooksDisabled: disabled };
    const details = { keyId, ...(descendants && made) };
    await record(engines, tx, { accountId: account.id, author, action: 'key.revoked', details });
    const test = await tx.accounts.findTestAccount(account.id);
    const webhooks = [
      ...(await tx.webhooks.list(account.id, limits.webhooksPerAccount)),
      ...(test ? await tx.webhooks.list(test.id, limits.webhooksPerAccount) : []),
    ];
    const live = webhooks.filter(({ createdBy, disabled: isOff }) => createdBy === keyId && !isOff);
    return { ids, webhooksDisabled: disabled.length, webhooksLive: live.length };
  });
}

/** A key revokes only keys that may do no more than itself. Its descendants never may do more than it. */
export async function revokeKeyWithin(engines: Needs, actor: KeyActor, revocation: Revocation): Promise<Revoked> {
  const { accountId, email, key: own } = actor;
  return engines.store.transaction(async (tx) => {
    const key = await tx.accounts.unrevokedKey(accountId, revocation.keyId);
    if (!key) throw new ExchangeError('not_found');
    if (key.id !== own.id && !isNoMoreThan(own, key)) {
      throw new ExchangeError(
        'scope_missing',
        'The key may do more than yours. Use one that may do as much, or ask an administrator.',
      );
    }
    return revokeKey({ ...engines, store: tx }, { id: accountId, email }, revocation, actor.author);
  });
}

function isNoMoreThan(own: KeyRights, other: KeyRights): boolean {
  const ownScopes = own.scopes;
  const hasScopes = ownScopes === null || (other.scopes?.every((scope) => ownScopes.includes(scope)) ?? false);
  const ends = own.expiresAt === null || (other.expiresAt !== null && other.expiresAt <= own.expiresAt);
  return hasScopes && ends && areWithin(own.networks, other.networks);
}
