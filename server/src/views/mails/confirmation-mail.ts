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
  const size = translator.formatSize(mail.totalBytes);
  return {
    subject: translator.t('mail.confirmation.subject', { receiver, count }),
    intro: translator.t('mail.confirmation.intro', { count }),
    message: mail.message,
    files: mail.files,
    fileCount: count,
    fields: [
      [translator.t('common.to'), receiver],
      [translator.t('sent.at'), sentAt],
      [translator.t('common.size'), size],
    ],
    reference: mail.reference,
    closing: [translator.t('mail.confirmation.notYou', { receiver })],
    to: mail.to,
    stop: { sender: receiver, link: mail.stopLink },
  };
}
