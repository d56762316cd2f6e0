import { type Command, InvalidArgumentError } from 'commander';
import type { Account } from '../domain/accounts/account-store.ts';
import { findAccount } from '../domain/accounts/read-accounts.ts';
import { findDropsByIdEnd } from '../domain/drops/read-history.ts';
import type { Engines } from '../domain/engines.ts';
import { ExchangeError } from '../domain/exchange-error.ts';
import { isUuid } from '../domain/is-uuid.ts';
import { readIdEnd, toReference } from '../domain/reference.ts';

/** Few drops share a reference. */
const maxFound = 10;

/** Adds the argument and the option with which every command names a drop. */
export function addDropArgument(command: Command): Command {
  return command
    .argument('<drop>', 'the drop or request: its reference, such as WB-7F3K-29QD, or its id', parseDropName)
    .option('--account <address>', 'the account that sent it; only needed if several drops have the reference');
}

/** For an argument or option that names a drop: by the reference that mails and pages show, or by its id. */
export function parseDropName(value: string): string {
  if (!isUuid(value) && readIdEnd(value) === undefined) {
    throw new InvalidArgumentError('Use a reference such as WB-7F3K-29QD, or an id as `drops list` shows it.');
  }
  return value;
}

/** Finds the drop that was named, and its account. */
export async function findNamedDrop(
  engines: Pick<Engines, 'store'>,
  name: string,
  accountAddress: string | undefined,
): Promise<{ account: Account; dropId: string }> {
  const account = accountAddress === undefined ? undefined : await findAccount(engines, accountAddress);
  const reference = isUuid(name) ? toReference(name) : name;
  const sharing = await findDropsByIdEnd(engines, readIdEnd(reference) ?? '', maxFound);
  const found = sharing.filter(
    (drop) => (!isUuid(name) || drop.id === name.toLowerCase()) && (!account || drop.account === account.email),
  );
  const [drop, ...others] = found;
  if (drop === undefined) {
    throw new ExchangeError(
      'not_found',
      account
        ? `${account.email} has no drop ${name}.`
        : `There is no drop ${name}. To see what there is: waybilld admin drops list --help`,
    );
  }
  if (others.length > 0) {
    const ids = found.map(({ id, account: owner }) => `${id} of ${owner}`).join(', ');
    throw new ExchangeError('invalid_input', `Several drops have this reference: ${ids}. Use the id of one.`);
  }
  return { account: account ?? (await findAccount(engines, drop.account)), dropId: drop.id };
}
