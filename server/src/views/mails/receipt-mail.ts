import type { MailContent, MailFile } from '../components/mail.tsx';
import { isolate } from '../plain.ts';
import type { Translator } from '../translator.ts';

export interface ReceiptMail {
  readonly receiver: string;
  readonly files: readonly MailFile[];
  /** The number of files, if only the first of them are listed. */
  readonly fileCount?: number | undefined;
  readonly sentAt: Date;
  readonly completedAt: Date;
  readonly to: string;
  readonly reference: string;
}

/** To the sender: everything was sent to the receiver. */
export function receiptMail(translator: Translator, mail: ReceiptMail): MailContent {
  const count = mail.fileCount ?? mail.files.length;
  return {
    subject: translator.t('mail.receipt.subject', { receiver: isolate(mail.receiver), count }),
    intro: translator.t('mail.receipt.intro', { count }),
    fields: [
      [translator.t('mail.receipt.receiver'), isolate(mail.receiver)],
      [translator.t('mail.receipt.sent'), translator.formatDate(mail.sentAt)],
      [translator.t('mail.receipt.completed'), translator.formatDate(mail.completedAt)],
    ],
    files: mail.files,
    fileCount: count,
    reference: mail.reference,
    closing: [],
    to: mail.to,
  };
}
