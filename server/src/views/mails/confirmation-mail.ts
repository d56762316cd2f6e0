import type { MailContent, MailFile } from '../components/mail.tsx';
import { isolate } from '../plain.ts';
import type { Translator } from '../translator.ts';

export interface ConfirmationMail {
  /** The account that requested the files. */
  readonly receiver: string;
  readonly message: string;
  /** All of the files, or the first of them. */
  readonly files: readonly MailFile[];
  readonly fileCount: number;
  readonly totalBytes: number;
  /** How many of all files were not scanned. */
  readonly unscannedCount: number;
  readonly sentAt: Date;
  readonly stopLink: string;
  readonly to: string;
  readonly reference: string;
}

/** To a contact: the files that they sent. */
export function confirmationMail(translator: Translator, mail: ConfirmationMail): MailContent {
  const count = mail.fileCount;
  const receiver = isolate(mail.receiver);
  const sentAt = translator.formatDate(mail.sentAt);
  return {
    subject: translator.t('mail.confirmation.subject', { receiver, count }),
    intro: translator.t('mail.confirmation.intro', { count }),
    message: mail.message,
    files: mail.files,
    fileCount: count,
    totalBytes: mail.totalBytes,
    unscannedCount: mail.unscannedCount,
    fields: [
      [translator.t('common.to'), receiver],
      [translator.t('sent.at'), sentAt],
    ],
    reference: mail.reference,
    closing: [translator.t('mail.confirmation.notYou', { receiver })],
    replyTo: mail.receiver,
    to: mail.to,
    stop: { sender: receiver, link: mail.stopLink },
  };
}
