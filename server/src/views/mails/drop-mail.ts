import type { Letter, MailFile } from '../components/letter.tsx';
import { isolate } from '../plain.ts';
import type { Words } from '../words.ts';
import { fromField, type Sender, stopOf } from './from.ts';

export interface DropMail extends Sender {
  readonly message: string;
  /** All of the files, or the first of them. */
  readonly files: readonly MailFile[];
  readonly fileCount: number;
  readonly totalBytes: number;
  readonly deadline: Date;
  readonly link: string;
  readonly stopLink: string;
  readonly to: string;
  readonly reference: string;
}

/** To a receiver: here are your files. */
export function dropMail(words: Words, mail: DropMail): Letter {
  const count = mail.fileCount;
  return {
    subject: words.t('mail.drop.subject', { sender: isolate(mail.senderName), count }),
    button: {
      label: words.t('mail.drop.button', { count }),
      here: words.t('mail.drop.here', { count }),
      link: mail.link,
    },
    note: words.t('mail.drop.note', {
      size: words.formatSize(mail.totalBytes),
      deadline: words.formatDate(mail.deadline),
    }),
    message: mail.message,
    files: mail.files,
    fileCount: count,
    fields: fromField(words, mail),
    reference: mail.reference,
    closing: [words.t('mail.private'), words.t('mail.unexpected')],
    to: mail.to,
    stop: stopOf(mail),
  };
}
