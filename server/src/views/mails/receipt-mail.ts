import type { MailContent, MailFile } from '../components/mail.tsx';
import { isolate } from '../plain.ts';
import type { Translator } from '../translator.ts';

export interface ReceiptMail {
  readonly receiver: string;
  readonly files: readonly MailFile[];
  readonly fileCount: number;
  readonly totalBytes: number;
  /** How many of all files were not scanned. */
  readonly unscannedCount: number;
  readonly sentAt: Date;
  readonly openedAt: Date | null;
  readonly completedAt: Date;
  /** The addresses of the people of the account who saw the receiver's link. */
  readonly shownTo: readonly string[];
  readonly to: string;
  readonly reference: string;
}

/** To the sender: everything was sent to the receiver. */
export function receiptMail(translator: Translator, mail: ReceiptMail): MailContent {
  const count = mail.fileCount;
  return {
    subject: translator.t('mail.receipt.subject', { receiver: isolate(mail.receiver), count }),
    intro: translator.t('mail.receipt.intro', { count }),
    steps: [
      [translator.t('mail.receipt.sent'), translator.formatDate(mail.sentAt)],
      ...(mail.openedAt ? [[translator.t('status.opened'), translator.formatDate(mail.openedAt)] as const] : []),
      [translator.t('mail.receipt.completed'), translator.formatDate(mail.completedAt)],
    ],
    files: mail.files,
    fileCount: count,
    totalBytes: mail.totalBytes,
    unscannedCount: mail.unscannedCount,
    reference: mail.reference,
    closing:
      mail.shownTo.length === 0
        ? []
        : [translator.t('mail.receipt.shown', { people: mail.shownTo.map(isolate).join(', ') })],
    replyTo: mail.receiver,
    to: mail.to,
  };
}
