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

/** To a receiver: here are your files, or here is your message. */
export function dropMail(translator: Translator, mail: DropMail): MailContent {
  const count = mail.fileCount;
  const sender = isolate(mail.senderName);
  const deadline = translator.formatDate(mail.deadline);
  const texts =
    count === 0
      ? {
          subject: translator.t('mail.drop.messageSubject', { sender }),
          label: translator.t('mail.drop.messageButton'),
          here: translator.t('mail.drop.messageHere'),
          note: translator.t('mail.linkUntil', { deadline }),
        }
      : {
          subject: translator.t('mail.drop.subject', { sender, count }),
          label: translator.t('mail.drop.button', { count }),
          here: translator.t('mail.drop.here', { count }),
          note: translator.t('mail.drop.note', { size: translator.formatSize(mail.totalBytes), deadline }),
        };
  return {
    subject: texts.subject,
    button: { label: texts.label, here: texts.here, link: mail.link },
    note: texts.note,
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
