import { keyAuthor } from '../audit/author.ts';
import { record } from '../audit/record.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { Account, Actor, Author, Engines, KeyRights } from '../ports/index.ts';
import { areWithin } from './network.ts';

type Needs = Pick<Engines, 'store' | 'random'>;

export interface Revocation {
  readonly keyId: string;
  /** Also revokes the keys that it made, those that they made, and so on. They go on otherwise. */
  readonly descendants?: boolean;
}

/** Returns the ids of all keys that were revoked. */
export async function revokeKey(
  engines: Needs,
  account: Pick<Account, 'id' | 'email'>,
  { keyId, descendants = false }: Revocation,
  author: Author,
): Promise<string[]> {
  return engines.store.transaction(async (tx) => {
    // No key is made by one that is being revoked: creating keys takes the same lock.
    await tx.accounts.lock(account.id);
    const revoked = await tx.accounts.revokeKey(account.id, keyId, descendants);
    if (revoked.length === 0) throw new ExchangeError('not_found', `${account.email} has no live key ${keyId}.`);
    for (const id of revoked) {
      await record(engines, tx, { accountId: account.id, author, action: 'key.revoked', details: { keyId: id } });
    }
    return revoked;
  });
}

/** A key revokes only keys that may do no more than itself. Its descendants never may do more than it. */
export async function revokeKeyWithin(engines: Needs, actor: Actor, revocation: Revocation): Promise<void> {
  const { accountId, email, key: own } = actor;
  await engines.store.transaction(async (tx) => {
    const key = await tx.accounts.unrevokedKey(accountId, revocation.keyId);
    if (!key) throw new ExchangeError('not_found');
    if (key.id !== own.id && !isNoMoreThan(own, key)) {
      throw new ExchangeError(
        'scope_missing',
        'The key may do more than yours: use one that may do as much, or ask an administrator.',
      );
    }
    await revokeKey({ ...engines, store: tx }, { id: accountId, email }, revocation, keyAuthor(actor));
  });
}

function isNoMoreThan(own: KeyRights, other: KeyRights): boolean {
  const ownScopes = own.scopes;
  const hasScopes = ownScopes === null || (other.scopes?.every((scope) => ownScopes.includes(scope)) ?? false);
  const ends = own.expiresAt === null || (other.expiresAt !== null && other.expiresAt <= own.expiresAt);
  return hasScopes && ends && areWithin(own.networks, other.networks);
}
