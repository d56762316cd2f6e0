import { record } from '../audit/record.ts';
import { emailAddress } from '../contacts/email-address.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { Account, ByCommand, Engines } from '../ports/index.ts';

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
      details: { address },
    });
  });
}
