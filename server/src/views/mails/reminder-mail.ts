import type { Letter } from '../components/letter.tsx';
import { isolate } from '../plain.ts';
import type { Words } from '../words.ts';
import { type DropMail, dropMail } from './drop-mail.ts';

export type ReminderMail = Omit<DropMail, 'message'>;

/** To a receiver who has not fetched everything when the deadline is near. */
export function reminderMail(words: Words, mail: ReminderMail): Letter {
  return {
    ...dropMail(words, { ...mail, message: '' }),
    subject: words.t('mail.reminder.subject', { sender: isolate(mail.senderName), count: mail.fileCount }),
    intro: words.t('mail.reminder.intro'),
  };
}
