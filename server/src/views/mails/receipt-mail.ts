import { type MailFile, type RenderedMail, renderLetter } from '../components/letter.tsx';
import { isolate } from '../plain.ts';
import type { Words } from '../words.ts';

export interface ReceiptMail {
  readonly receiver: string;
  readonly files: readonly MailFile[];
  /** How many files there are, where only the first of them are listed. */
  readonly fileCount?: number | undefined;
  readonly sentAt: Date;
  readonly completedAt: Date;
  readonly brand?: string | undefined;
}

/** To the sender: everything was sent to the receiver. */
export function receiptMail(words: Words, mail: ReceiptMail): RenderedMail {
  const count = mail.fileCount ?? mail.files.length;
  const intro = words.t('mail.receipt.intro', { count });
  return renderLetter(words, {
    subject: words.t('mail.receipt.subject', { receiver: isolate(mail.receiver), count }),
    preheader: intro,
    intro,
    // Whether they were scanned is news to who receives them, not to who sent them.
    files: mail.files.map(({ name, sizeBytes }) => ({ name, sizeBytes })),
    fileCount: count,
    fields: [
      [words.t('mail.receipt.receiver'), isolate(mail.receiver)],
      [words.t('mail.receipt.sent'), words.formatDate(mail.sentAt)],
      [words.t('mail.receipt.completed'), words.formatDate(mail.completedAt)],
    ],
    closing: [],
    brand: mail.brand,
  });
}
