import { type MailFile, type RenderedMail, renderLetter } from '../components/letter.tsx';
import { isolate } from '../plain.ts';
import type { Words } from '../words.ts';

export interface DropMail {
  readonly sender: string;
  readonly message: string;
  /** All of the files, or the first of them. */
  readonly files: readonly MailFile[];
  readonly fileCount: number;
  readonly totalBytes: number;
  readonly deadline: Date;
  readonly link: string;
  readonly brand?: string | undefined;
}

/** To a receiver: here are your files. */
export function dropMail(words: Words, mail: DropMail): RenderedMail {
  const count = mail.fileCount;
  const deadline = words.formatDate(mail.deadline);
  return renderLetter(words, {
    subject: words.t('mail.drop.subject', { sender: isolate(mail.sender), count }),
    preheader: words.t('mail.drop.preheader', { size: words.formatSize(mail.totalBytes), deadline }),
    message: mail.message,
    files: mail.files,
    fileCount: count,
    button: {
      label: words.t('mail.drop.button', { count }),
      here: words.t('mail.drop.here', { count }),
      link: mail.link,
    },
    closing: [words.t('mail.linkUntil', { deadline }), words.t('mail.private'), words.t('mail.unexpected')],
    brand: mail.brand,
  });
}
