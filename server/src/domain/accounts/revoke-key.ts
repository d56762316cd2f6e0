import { limits } from '@waybill/protocol';
import type { KeyActor } from '../actor.ts';
import type { Author } from '../audit/audit-store.ts';
import { record } from '../audit/record.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { Account, KeyRights } from './account-store.ts';
import { areWithin } from './network.ts';

type Needs = Pick<Engines, 'store' | 'random'>;

export interface Revocation {
  readonly keyId: string;
  /** Also revokes the keys that it made, those that they made, and so on, and disables the webhooks of all of them. */
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
    // No key is made by one that is being revoked: creating keys takes the same lock.
    await tx.accounts.lock(account.id);
    const ids = await tx.accounts.revokeKey(account.id, keyId, descendants);
    if (ids.length === 0) throw new ExchangeError('not_found', `${account.email} has no live key ${keyId}.`);
    const disabled = descendants ? await tx.webhooks.disableMadeBy(account.id, keyId) : [];
    const made = { descendants: ids.filter((id) => id !== keyId), webhooksDisabled: disabled };
    const details = { keyId, ...(descendants && made) };
    await record(engines, tx, { accountId: account.id, author, action: 'key.revoked', details });
    const webhooks = await tx.webhooks.list(account.id, limits.webhooksPerAccount);
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
        'The key may do more than yours: use one that may do as much, or ask an administrator.',
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
