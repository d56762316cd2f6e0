import type { Letter, MailFile } from '../components/letter.tsx';
import { isolate } from '../plain.ts';
import type { Words } from '../words.ts';

export interface UndeliverableMail {
  readonly receiver: string;
  /** What the mail server said; undefined: the receiver has stopped mails from the sender. */
  readonly answer: string | undefined;
  readonly sentAt: Date;
  readonly files: readonly MailFile[];
  readonly fileCount: number;
  readonly to: string;
  readonly reference: string;
}

/** To the sender: the receiver's mail server does not accept our mail, or the receiver does not want it. */
export function undeliverableMail(words: Words, mail: UndeliverableMail): Letter {
  const receiver = isolate(mail.receiver);
  const stopped = mail.answer === undefined;
  return {
    subject: words.t(stopped ? 'mail.stopped.subject' : 'mail.undeliverable.subject', { receiver }),
    intro: words.t(stopped ? 'mail.stopped.intro' : 'mail.undeliverable.intro'),
    fields: [
      [words.t('mail.receipt.receiver'), receiver],
      [words.t('mail.receipt.sent'), words.formatDate(mail.sentAt)],
      ...(mail.answer === undefined ? [] : [[words.t('mail.undeliverable.answer'), isolate(mail.answer)] as const]),
    ],
    files: mail.fileCount > 0 ? mail.files.map(({ name, sizeBytes }) => ({ name, sizeBytes })) : undefined,
    fileCount: mail.fileCount,
    reference: mail.reference,
    closing: [],
    to: mail.to,
  };
}
