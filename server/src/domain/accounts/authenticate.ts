import { timingSafeEqual } from 'node:crypto';
import { ExchangeError } from '../exchange-error.ts';
import type { Actor, Engines } from '../ports/index.ts';
import { digestOf, isApiKey } from './api-key.ts';

const noKey = Buffer.alloc(32);

/**
 * Unknown account, wrong key, revoked key and disabled account cannot be told apart: the same work is done for each,
 * and the same error is thrown.
 */
export async function authenticate(
  engines: Pick<Engines, 'store'> & { readonly pepper: Buffer },
  user: string,
  apiKey: string,
): Promise<Actor> {
  if (!isApiKey(apiKey)) throw new ExchangeError('unauthorized');
  const offered = digestOf(apiKey, engines.pepper);
  const credentials = await engines.store.accounts.credentials(user);
  let matches = false;
  for (const digest of credentials?.keyDigests ?? [noKey]) {
    if (timingSafeEqual(digest, offered)) matches = true;
  }
  if (!credentials || !matches) throw new ExchangeError('unauthorized');
  return { accountId: credentials.accountId, email: user };
}
