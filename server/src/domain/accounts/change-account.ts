import { limits, patterns } from '@waybill/protocol';
import type { ByCommand } from '../audit/audit-store.ts';
import { record } from '../audit/record.ts';
import { emailAddress } from '../contacts/email-address.ts';
import { phoneNumber } from '../contacts/phone-number.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { Account } from './account-store.ts';
import { insertNewKey } from './change-keys.ts';

const languageTag = new RegExp(`^(?:${patterns.languageTag})?$`);

/** Creates an account with its first API key, which is returned once and never again. */
export async function createAccount(
  engines: Pick<Engines, 'store' | 'random'> & ByCommand & { readonly pepper: Buffer },
  input: { email: string; phone: string; type: 'api' | 'user'; language?: string },
): Promise<{ account: Account; apiKey: string }> {
  const email = emailAddress(input.email);
  const phone = phoneNumber(input.phone);
  const language = input.language ?? '';
  if (!languageTag.test(language) || language.length > limits.languageLength) {
    throw new ExchangeError('invalid_input', 'The language is a tag such as en, sv or pt-BR.');
  }
  const id = engines.random.uuid();
  return engines.store.transaction(async (tx) => {
    if (!(await tx.accounts.insert({ id, email, phone, type: input.type, language }))) {
      const isTest = (await tx.accounts.byEmail(email))?.testOf != null;
      const message = `There is already ${isTest ? 'a test account' : 'an account'} for ${email}.`;
      throw new ExchangeError('invalid_input', message);
    }
    const { apiKey } = await insertNewKey(engines, tx, { id, testOf: null });
    await record(engines, tx, {
      accountId: id,
      author: engines.administrator,
      action: 'account.created',
      addresses: [email],
      details: { email },
    });
    const account = await tx.accounts.byId(id);
    if (!account) throw new Error('the account just inserted is not there');
    return { account, apiKey };
  });
}

/** While it is disabled, requests of it and its test account are refused, and events wait to be sent to its webhooks. */
export async function setAccountDisabled(
  engines: Pick<Engines, 'store' | 'random'> & ByCommand,
  account: Account,
  disabled: boolean,
): Promise<void> {
  if (account.deleting && !disabled) {
    throw new ExchangeError('precondition_failed', `${account.email} is being deleted, and cannot be enabled again.`);
  }
  await engines.store.transaction(async (tx) => {
    await tx.accounts.lockBoth(account.id);
    await tx.accounts.setDisabled(account.id, disabled);
    const test = await tx.accounts.findTestAccount(account.id);
    if (!disabled) for (const { id } of [account, ...(test ? [test] : [])]) await tx.webhookDeliveries.resume(id);
    await record(engines, tx, {
      accountId: account.id,
      author: engines.administrator,
      action: disabled ? 'account.disabled' : 'account.enabled',
    });
  });
}
