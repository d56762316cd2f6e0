import { timingSafeEqual } from 'node:crypto';
import type { KeyActor } from '../actor.ts';
import { keyAuthor } from '../audit/author.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import { query } from '../query.ts';
import type { LiveKey } from './account-store.ts';
import { digestApiKey, isApiKey } from './api-key.ts';
import { isWithin } from './network.ts';

type Needs = Pick<Engines, 'store'> & { readonly pepper: Buffer };

const noKey = { digest: Buffer.alloc(32) };
const restrictedKey =
  'This key is restricted to scopes: it works only on /api/v1, as `Authorization: Bearer <key>`. Use a key without scopes here.';

const notValid =
  'This is not a valid API key: it is unknown, revoked or past its expiry, or its account is disabled. Check that it is complete, or use another one.';

/**
 * An unknown account, a wrong key, a revoked or expired key and a disabled account cannot be told apart: each takes the
 * same work and throws the same error. A key that is restricted to scopes works only as a bearer key, of which its holder
 * is told.
 */
export async function authenticate(engines: Needs, user: string, apiKey: string, address: string): Promise<KeyActor> {
  if (!isApiKey(apiKey)) throw new ExchangeError('unauthorized');
  const offered = digestApiKey(apiKey, engines.pepper);
  const keys = await engines.store.accounts.credentials(user);
  let match: LiveKey | undefined;
  for (const key of keys ?? [noKey]) {
    if (timingSafeEqual(key.digest, offered) && 'keyId' in key) match = key;
  }
  if (!match && (await engines.store.accounts.liveKey(offered))?.email === user)
    throw new ExchangeError('unauthorized', restrictedKey);
  return await useKey(engines, match, address);
}

/** A key that comes without the account's address; found by its digest, which cannot be guessed without the pepper. */
export async function authenticateBearer(engines: Needs, apiKey: string, address: string): Promise<KeyActor> {
  if (!isApiKey(apiKey)) throw new ExchangeError('unauthorized', notValid);
  const key = await engines.store.accounts.liveKey(digestApiKey(apiKey, engines.pepper));
  if (!key) throw new ExchangeError('unauthorized', notValid);
  return await useKey(engines, key, address);
}

async function useKey({ store }: Needs, key: LiveKey | undefined, address: string): Promise<KeyActor> {
  if (!key) throw new ExchangeError('unauthorized');
  const { accountId, email, isTest, keyId, scopes, networks, expiresAt } = key;
  if (!isWithin(networks, address)) throw new ExchangeError('network_not_allowed');
  if (key.useIsDue) {
    // While the database only reads, keys work as before, and a later request records the use.
    await store.accounts.recordKeyUse(accountId, keyId).catch((error: unknown) => {
      if (!(error instanceof ExchangeError) || error.code !== 'unavailable') throw error;
    });
  }
  return {
    accountId,
    email,
    isTest,
    author: keyAuthor(keyId, email, address),
    key: { id: keyId, scopes, networks, expiresAt },
  };
}

export const findUnusableKeys = query((store) => store.accounts.unusableKeys);
