import { findAccount } from '../domain/accounts/read-accounts.ts';
import { serverAccountId } from '../domain/audit/record.ts';
import type { Engines } from '../domain/engines.ts';
import { ExchangeError } from '../domain/exchange-error.ts';
import { isUuid } from '../domain/is-uuid.ts';

type Needs = Pick<Engines, 'store'>;

/** The id of an account for a search. One that was deleted can only be named by its id. */
export async function findAuditAccount(engines: Needs, value: string): Promise<string> {
  if (value === 'server') return serverAccountId;
  return isUuid(value) ? value : (await findAccount(engines, value)).id;
}

/**
 * The ids of authors for a search. An address stands for a person, by whatever address they were known before, and for
 * all keys of the account.
 */
export async function findAuthors({ store }: Needs, value: string): Promise<string[]> {
  if (!value.includes('@')) return [value];
  const email = value.toLowerCase();
  const [person, account] = await Promise.all([store.people.byEmail(email), store.accounts.byEmail(email)]);
  const keys = account ? await store.accounts.keys(account.id) : [];
  const ids = [...(person ? [person.id] : []), ...keys.map(({ id }) => id)];
  if (ids.length > 0) return ids;
  throw new ExchangeError('not_found', `Nobody with the address ${value} is known here. Use an id, or --address.`);
}
