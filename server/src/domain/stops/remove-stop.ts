import type { Account } from '../accounts/account-store.ts';
import type { ByCommand } from '../audit/audit-store.ts';
import { record } from '../audit/record.ts';
import { emailAddress } from '../contacts/email-address.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import { query } from '../query.ts';

/** For an administrator whom the person has asked to. */
export async function removeStop(
  engines: Pick<Engines, 'store' | 'random'> & ByCommand,
  account: Account,
  text: string,
): Promise<void> {
  const address = emailAddress(text);
  await engines.store.transaction(async (tx) => {
    if (!(await tx.stops.remove(account.id, address))) {
      throw new ExchangeError('not_found', `${address} has not stopped mail from ${account.email}.`);
    }
    await record(engines, tx, {
      accountId: account.id,
      author: engines.administrator,
      action: 'mail.resumed',
      addresses: [address],
      details: { address },
    });
  });
}

export const listStops = query((store) => store.stops.page);
