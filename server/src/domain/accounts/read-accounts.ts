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
