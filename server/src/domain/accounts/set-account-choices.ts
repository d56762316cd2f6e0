import type { Author } from '../audit/audit-store.ts';
import { findDifference, record } from '../audit/record.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { SecondFactor } from '../policy.ts';
import { isSafeName } from '../safe-name.ts';
import type { Account, AccountChoices } from './account-store.ts';

export async function setAccountChoices(
  engines: Pick<Engines, 'store' | 'random'>,
  author: Author,
  account: Pick<Account, 'id'>,
  choices: Partial<AccountChoices>,
): Promise<void> {
  if (choices.displayName !== undefined) requireDisplayName(choices.displayName);
  await engines.store.transaction(async (tx) => {
    const before = await tx.accounts.byId(account.id);
    await tx.accounts.setChoices(account.id, choices);
    const after = await tx.accounts.byId(account.id);
    const difference = before && after ? findDifference(before, after) : {};
    await record(engines, tx, { accountId: account.id, author, action: 'account.changed', ...difference });
  });
}

/** Changes the choices of an account for one of its owners, who may not ask receivers for less than the server does. */
export async function setOwnChoices(
  engines: Pick<Engines, 'store' | 'random' | 'policy'>,
  author: Author,
  account: Pick<Account, 'id' | 'secondFactor'>,
  choices: AccountChoices,
): Promise<void> {
  if (!(await listOwnFactors(engines, account)).includes(choices.secondFactor)) {
    throw new ExchangeError('invalid_input', 'The server requires a stricter code than this.');
  }
  await setAccountChoices(engines, author, account, choices);
}

const factors: readonly SecondFactor[] = ['off', 'mail', 'sms'];

/**
 * Lists the codes that an owner may choose; null: that of the group or server. A weaker one than that is among them only
 * if an administrator has chosen it for the account.
 */
export async function listOwnFactors(
  { store, policy }: Pick<Engines, 'store' | 'policy'>,
  account: Pick<Account, 'id' | 'secondFactor'>,
): Promise<(SecondFactor | null)[]> {
  const { group } = await store.quotas.own(account.id);
  const rule = (group === null ? undefined : await store.quotas.group(group))?.secondFactor ?? policy.secondFactor;
  const isAllowed = (factor: SecondFactor) =>
    factors.indexOf(factor) >= factors.indexOf(rule) || factor === account.secondFactor;
  return [null, ...factors.filter(isAllowed)];
}

const maxDisplayNameLength = 100;

/**
 * Whether it may be the name of an account. It appears as the sender's name in mails: an address in it could be mistaken
 * for the address that the mail comes from.
 */
export function isDisplayName(name: string): boolean {
  return name.trim() === name && name.length <= maxDisplayNameLength && isSafeName(name);
}

function requireDisplayName(name: string): void {
  if (isDisplayName(name)) return;
  throw new ExchangeError(
    'invalid_input',
    `A name has up to ${maxDisplayNameLength} characters, and no @, quotation marks, < or >.`,
  );
}
