import type { ByCommand } from '../audit/audit-store.ts';
import { record } from '../audit/record.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { Account, AccountChoices } from './account-store.ts';

export async function setAccountChoices(
  engines: Pick<Engines, 'store' | 'random'> & ByCommand,
  account: Account,
  choices: Partial<AccountChoices>,
): Promise<void> {
  if (choices.displayName !== undefined) requireDisplayName(choices.displayName);
  await engines.store.transaction(async (tx) => {
    await tx.accounts.setChoices(account.id, choices);
    await record(engines, tx, {
      accountId: account.id,
      author: engines.administrator,
      action: 'account.changed',
      details: { ...choices },
    });
  });
}

const maxDisplayNameLength = 100;

/**
 * It appears as the sender's name in mails: an address in it could be mistaken for the address that the mail comes
 * from.
 */
function requireDisplayName(name: string): void {
  if (name.trim() !== name || name.length > maxDisplayNameLength || /[\p{Cc}\p{Cf}@<>"]/u.test(name)) {
    throw new ExchangeError(
      'invalid_input',
      `A name has up to ${maxDisplayNameLength} characters, and no @, quotation marks, < or >.`,
    );
  }
}
