import type { Letter, MailFile } from '../components/letter.tsx';
import { isolate } from '../plain.ts';
import type { Words } from '../words.ts';

export interface ConfirmationMail {
  /** Who asked for the files. */
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

/** To a contact: this is what you sent. */
export function confirmationMail(words: Words, mail: ConfirmationMail): Letter {
  const count = mail.fileCount;
  const receiver = isolate(mail.receiver);
  const sentAt = words.formatDate(mail.sentAt);
  const size = words.formatSize(mail.totalBytes);
  return {
    subject: words.t('mail.confirmation.subject', { receiver, count }),
    intro: words.t('mail.confirmation.intro', { count }),
    message: mail.message,
    files: mail.files,
    fileCount: count,
    fields: [
      [words.t('common.to'), receiver],
      [words.t('sent.at'), sentAt],
      [words.t('common.size'), size],
    ],
    reference: mail.reference,
    closing: [words.t('mail.confirmation.notYou', { receiver })],
    to: mail.to,
    stop: { sender: receiver, link: mail.stopLink },
  };
}
