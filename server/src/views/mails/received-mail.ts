import { type MailFile, type RenderedMail, renderLetter } from '../components/letter.tsx';
import { isolate } from '../plain.ts';
import type { Words } from '../words.ts';

export interface ReceivedMail {
  readonly contact: string;
  readonly message: string;
  /** All of the files, or the first of them. */
  readonly files: readonly MailFile[];
  readonly fileCount: number;
  readonly totalBytes: number;
  readonly deadline: Date;
  readonly brand?: string | undefined;
}

/** To the owner of an account: a contact has sent files. */
export function receivedMail(words: Words, mail: ReceivedMail): RenderedMail {
  const count = mail.fileCount;
  const deadline = words.formatDate(mail.deadline);
  return renderLetter(words, {
    subject: words.t('mail.received.subject', { contact: isolate(mail.contact), count }),
    preheader: words.t('mail.drop.preheader', { size: words.formatSize(mail.totalBytes), deadline }),
    intro: words.t('mail.received.intro', { count, deadline }),
    message: mail.message,
    files: mail.files,
    fileCount: count,
    fields: [[words.t('common.size'), words.formatSize(mail.totalBytes)]],
    closing: [],
    brand: mail.brand,
  });
}
