import type { Account } from '../accounts/account-store.ts';
import type { Engines } from '../engines.ts';
import { type Mail, SendFailure, type SendOutcome } from '../ports/mailer.ts';
import type { TestMessage, TestMessageKind } from './test-message-store.ts';

/** How many messages of a test account are kept. */
const mostKept = 1_000;

/**
 * The message of an account. Whether its account is a test account comes from the account's own row, which is read with the
 * message, and never changes.
 */
export interface AccountMessage extends Omit<TestMessage, 'channel' | 'to' | 'subject' | 'text'> {
  readonly accountId: string;
  readonly isTest: boolean;
}

/** A message to an account that is not about a drop or a request. */
export function toOwnAccountMessage(
  { id: accountId, testOf }: Pick<Account, 'id' | 'testOf'>,
  id: string,
  kind: TestMessageKind,
): AccountMessage {
  return { accountId, isTest: testOf !== null, id, kind, dropId: null, requestId: null, link: null, code: null };
}

type Needs = Pick<Engines, 'store'>;

/**
 * Sends a mail of an account, or keeps it. Every mail and SMS that an account causes goes through this file; a test checks
 * that nothing else hands any to the mail server or the gateway.
 */
export async function sendMail(
  engines: Needs & Pick<Engines, 'mailer'>,
  message: AccountMessage,
  mail: Mail,
): Promise<SendOutcome> {
  if (!message.isTest) return engines.mailer.send(mail);
  const { to, subject, text } = mail;
  return keep(engines, message, { channel: 'mail', to, subject, text });
}

/** As `sendMail`. What is kept needs no gateway. */
export async function sendSms(
  engines: Needs & Pick<Engines, 'sms'>,
  message: AccountMessage,
  sms: { readonly to: string; readonly text: string },
): Promise<SendOutcome> {
  if (message.isTest) return keep(engines, message, { ...sms, channel: 'sms', subject: null });
  if (!engines.sms) throw new SendFailure('no SMS gateway is configured', 'no SMS gateway is configured');
  return engines.sms.send(sms);
}

async function keep(
  { store }: Needs,
  { accountId, isTest: _, ...message }: AccountMessage,
  content: Pick<TestMessage, 'channel' | 'to' | 'subject' | 'text'>,
): Promise<SendOutcome> {
  await store.transaction(async (tx) => {
    const { id, kind } = message;
    if (!(await tx.testMessages.keep(accountId, { ...message, ...content }, mostKept))) return;
    const data = { message_id: id, kind, to: content.to };
    await tx.events.append([{ accountId, type: 'test.message_kept', data }]);
  });
  return { outcome: 'sent', response: 'kept and not sent, because the account is a test account' };
}
