import type { Letter, MailFile } from '../components/letter.tsx';
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
  readonly to: string;
  readonly reference: string;
}

/** To the owner of an account: a contact has sent files. */
export function receivedMail(words: Words, mail: ReceivedMail): Letter {
  const count = mail.fileCount;
  return {
    subject: words.t('mail.received.subject', { contact: isolate(mail.contact), count }),
    intro: words.t('mail.received.intro', { count, deadline: words.formatDate(mail.deadline) }),
    fields: [[words.t('common.size'), words.formatSize(mail.totalBytes)]],
    message: mail.message,
    files: mail.files,
    fileCount: count,
    reference: mail.reference,
    closing: [],
    to: mail.to,
  };
}
