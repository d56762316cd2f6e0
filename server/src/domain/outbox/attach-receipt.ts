import { makeReceipt, type ReceiptNeeds } from '../evidence/make-receipt.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { MailAttachment } from '../ports/mailer.ts';
import type { WaitingMessage } from './outbox-store.ts';
import { SendFailure } from './send-failure.ts';

/** A mail waits for its receipt this often; then it is sent without. */
const patientAttempts = 3;
/** Many mail servers refuse mails of 10 MB. */
const maxAttachedBytes = 5_000_000;
const always = new AbortController().signal;

/** Makes the receipt that a mail to the sender carries, if the account wants that. */
export async function attachReceipt(
  engines: ReceiptNeeds,
  accountId: string,
  { kind, dropId, dropType, person, language, attempts }: WaitingMessage,
): Promise<readonly MailAttachment[]> {
  if (kind !== 'receipt' || dropType !== 'downloadfiles') return [];
  if (!(await engines.store.accounts.byId(accountId))?.attachReceipts) return [];
  const story = { accountId, dropId, position: person.position };
  try {
    const receipt = await makeReceipt(
      engines,
      { ...story, type: 'drop', format: 'pdf', languages: [language] },
      always,
    );
    return receipt.content.length > maxAttachedBytes ? [] : [receipt];
  } catch (error) {
    if (!(error instanceof ExchangeError)) throw error;
    const isLasting = error.code === 'not_found' || error.code === 'receipt_unavailable';
    if (isLasting || attempts >= patientAttempts) return [];
    throw new SendFailure('The receipt cannot be attached yet.', 'the receipt is not ready');
  }
}
