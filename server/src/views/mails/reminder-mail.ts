import { type MailFile, type RenderedMail, renderLetter } from '../components/letter.tsx';
import { isolate } from '../plain.ts';
import type { Words } from '../words.ts';

export interface ReminderMail {
  readonly sender: string;
  /** All of the files, or the first of them. */
  readonly files: readonly MailFile[];
  readonly fileCount: number;
  readonly deadline: Date;
  readonly link: string;
  readonly brand?: string | undefined;
}

/** To a receiver who has not fetched everything while the deadline comes near. */
export function reminderMail(words: Words, mail: ReminderMail): RenderedMail {
  const count = mail.fileCount;
  const intro = words.t('mail.reminder.intro', { deadline: words.formatDate(mail.deadline) });
  return renderLetter(words, {
    subject: words.t('mail.reminder.subject', { sender: isolate(mail.sender), count }),
    preheader: intro,
    intro,
    files: mail.files,
    fileCount: count,
    button: {
      label: words.t('mail.drop.button', { count }),
      here: words.t('mail.drop.here', { count }),
      link: mail.link,
    },
    closing: [words.t('mail.private'), words.t('mail.unexpected')],
    brand: mail.brand,
  });
}
