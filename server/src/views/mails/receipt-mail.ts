import type { Letter, MailFile } from '../components/letter.tsx';
import { isolate } from '../plain.ts';
import type { Words } from '../words.ts';

export interface ReceiptMail {
  readonly receiver: string;
  readonly files: readonly MailFile[];
  /** How many files there are, if only the first of them are listed. */
  readonly fileCount?: number | undefined;
  readonly sentAt: Date;
  readonly completedAt: Date;
  readonly to: string;
  readonly reference: string;
}

/** To the sender: everything was sent to the receiver. */
export function receiptMail(words: Words, mail: ReceiptMail): Letter {
  const count = mail.fileCount ?? mail.files.length;
  return {
    subject: words.t('mail.receipt.subject', { receiver: isolate(mail.receiver), count }),
    intro: words.t('mail.receipt.intro', { count }),
    fields: [
      [words.t('mail.receipt.receiver'), isolate(mail.receiver)],
      [words.t('mail.receipt.sent'), words.formatDate(mail.sentAt)],
      [words.t('mail.receipt.completed'), words.formatDate(mail.completedAt)],
    ],
    files: mail.files,
    fileCount: count,
    reference: mail.reference,
    closing: [],
    to: mail.to,
  };
}
