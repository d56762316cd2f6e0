import type { Author } from '../audit/audit-store.ts';
import { record } from '../audit/record.ts';
import { emailAddress } from '../contacts/email-address.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { AccountPolicy } from '../policy.ts';
import type { Store } from '../store.ts';
import type { Account } from './account-store.ts';
import type { Quotas } from './quota-store.ts';
import { readPolicy } from './read-policy.ts';
import { toTestAddress } from './test-address.ts';

const limitsOfTests = {
  storedBytes: 1024 ** 3,
  dropsPerDay: 1_000,
  mailsPerDay: 10_000,
  lifetimeSeconds: 7 * 24 * 60 * 60,
};

/**
 * Finds the test account of an account, or opens it. The caller has locked the account, so that there is never more than
 * one. An administrator can change its limits as those of any account.
 */
export async function openTestAccount(
  engines: Pick<Engines, 'policy' | 'random'>,
  tx: Store,
  author: Author,
  accountId: string,
): Promise<Account> {
  const live = await tx.accounts.byId(accountId);
  if (!live || live.disabled) throw new ExchangeError('unauthorized');
  if (live.testOf !== null) return live;
  const found = await tx.accounts.findTestAccount(accountId);
  if (found?.deleting) {
    const message = `The test account ${found.email} is being deleted. Try again in a few minutes: then there is a new one.`;
    throw new ExchangeError('unavailable', message, { retryAfterSeconds: 60 });
  }
  if (found?.disabled) {
    const message = `The test account ${found.email} is disabled. Ask the administrator to enable it.`;
    throw new ExchangeError('invalid_input', message);
  }
  return found ?? (await insertTestAccount(engines, tx, author, live));
}

async function insertTestAccount(
  engines: Pick<Engines, 'policy' | 'random'>,
  tx: Store,
  author: Author,
  live: Account,
): Promise<Account> {
  const { phone, language, ...choices } = live;
  const policy = await readPolicy({ ...engines, store: tx }, live.id);
  // Kept messages have links. Their reader can pass these on to any address, as with links that an account gets itself.
  if (policy.receiverDomains && author.kind !== 'command') {
    throw new ExchangeError(
      'invalid_input',
      `The account may send only to certain domains, and whoever has a test key gets links. Ask the administrator to create the first test key with "waybilld admin api-keys create --account ${live.email} --test".`,
    );
  }
  const email = emailAddress(toTestAddress(live.email));
  const id = engines.random.uuid();
  if (!(await tx.accounts.insert({ id, email, phone, type: 'api', language, testOf: live.id }))) {
    throw new ExchangeError(
      'invalid_input',
      `${email} is the address of an account already, so it cannot be that of a test account. Ask the administrator to delete that account, or use test keys of another account.`,
    );
  }
  await tx.accounts.setChoices(id, { ...choices, secondFactor: null, defaultDays: null });
  await tx.quotas.setForAccount(id, toTestQuotas(policy));
  await record(engines, tx, {
    accountId: id,
    author,
    action: 'account.created',
    addresses: [email],
    details: { email, testOf: live.email },
  });
  const account = await tx.accounts.byId(id);
  if (!account) throw new Error('the account just inserted is not there');
  return account;
}

function toTestQuotas({ maxStoredBytes, dropsPerDay, mailsPerDay, lifetime }: AccountPolicy): Partial<Quotas> {
  const atMost = (limit: number, value: number | null) => Math.min(limit, value ?? limit);
  return {
    maxStoredBytes: atMost(limitsOfTests.storedBytes, maxStoredBytes),
    dropsPerDay: atMost(limitsOfTests.dropsPerDay, dropsPerDay),
    mailsPerDay: atMost(limitsOfTests.mailsPerDay, mailsPerDay),
    maxLifetime: Math.max(1, atMost(Math.floor(limitsOfTests.lifetimeSeconds / lifetime.unitSeconds), lifetime.max)),
  };
}
