import type { MailContent, MailFile } from '../components/mail.tsx';
import { isolate } from '../plain.ts';
import type { Translator } from '../translator.ts';
import { fromField, type Sender, toStop } from './from.ts';

export interface DropMail extends Sender {
  readonly message: string;
  /** All of the files, or the first of them. */
  readonly files: readonly MailFile[];
  readonly fileCount: number;
  readonly totalBytes: number;
  /** How many of all files were not scanned. */
  readonly unscannedCount: number;
  readonly deadline: Date;
  readonly link: string;
  readonly stopLink: string;
  readonly to: string;
  readonly reference: string;
}

/** To a receiver: here are your files. */
export function dropMail(translator: Translator, mail: DropMail): MailContent {
  const count = mail.fileCount;
  return {
    subject: translator.t('mail.drop.subject', { sender: isolate(mail.senderName), count }),
    button: {
      label: translator.t('mail.drop.button', { count }),
      here: translator.t('mail.drop.here', { count }),
      link: mail.link,
    },
    note: translator.t('mail.drop.note', {
      size: translator.formatSize(mail.totalBytes),
      deadline: translator.formatDate(mail.deadline),
    }),
    message: mail.message,
    files: mail.files,
    fileCount: count,
    unscannedCount: mail.unscannedCount,
    fields: fromField(translator, mail),
    reference: mail.reference,
    closing: [translator.t('mail.private'), translator.t('mail.unexpected')],
    replyTo: mail.senderName,
    to: mail.to,
    stop: toStop(mail),
  };
}
