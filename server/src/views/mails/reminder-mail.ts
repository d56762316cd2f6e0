import type { MailContent } from '../components/mail.tsx';
import { isolate } from '../plain.ts';
import type { Translator } from '../translator.ts';
import { type DropMail, dropMail } from './drop-mail.ts';

export type ReminderMail = Omit<DropMail, 'message'>;

/** To a receiver who has not fetched everything when the deadline is near. */
export function reminderMail(translator: Translator, mail: ReminderMail): MailContent {
  return {
    ...dropMail(translator, { ...mail, message: '' }),
    subject: translator.t('mail.reminder.subject', { sender: isolate(mail.senderName), count: mail.fileCount }),
    intro: translator.t('mail.reminder.intro', { sender: isolate(mail.senderName) }),
    // The text above says it.
    replyTo: undefined,
  };
}
