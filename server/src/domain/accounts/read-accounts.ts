import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import { query } from '../query.ts';
import type { Account } from './account-store.ts';

export async function findAccount(engines: Pick<Engines, 'store'>, email: string): Promise<Account> {
  const account = await engines.store.accounts.byEmail(email.toLowerCase());
  if (!account)
    throw new ExchangeError(
      'not_found',
      `There is no account for ${email}. To see all accounts: waybilld admin accounts list`,
    );
  return account;
}

/** Undefined if it was deleted meanwhile. */
export const findAccountById = query((store) => store.accounts.byId);
export const listKeys = query((store) => store.accounts.keys);
export const readUsage = query((store) => store.quotas.usage);

export const listAccounts = query((store) => store.accounts.page);
export const listGroups = query((store) => store.quotas.groups);
export const listUsage = query((store) => store.quotas.usagePage);
/** Not completed by those of its group or the server. */
export const readOwnQuotas = query((store) => store.quotas.own);
export const readContents = query((store) => store.accountDeletions.contents);

/**
 * The ids of authors for a search. An address stands for a person, by whatever address they were known before, and for
 * all keys of the account.
 */
export async function findAuthors({ store }: Pick<Engines, 'store'>, value: string): Promise<string[]> {
  if (!value.includes('@')) return [value];
  const email = value.toLowerCase();
  const [person, account] = await Promise.all([store.people.byEmail(email), store.accounts.byEmail(email)]);
  const keys = account ? await store.accounts.keys(account.id) : [];
  const ids = [...(person ? [person.id] : []), ...keys.map(({ id }) => id)];
  if (ids.length > 0) return ids;
  throw new ExchangeError('not_found', `Nobody with the address ${value} is known here. Use an id, or --address.`);
}
