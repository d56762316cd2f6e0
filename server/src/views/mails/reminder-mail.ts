import type { MailContent } from '../components/mail.tsx';
import { isolate } from '../plain.ts';
import type { Translator } from '../translator.ts';
import { type DropMail, dropMail } from './drop-mail.ts';

export type ReminderMail = Omit<DropMail, 'message'>;

/** To a receiver who has not fetched everything when the deadline is near. */
export function reminderMail(translator: Translator, mail: ReminderMail): MailContent {
  const sender = isolate(mail.senderName);
  const count = mail.fileCount;
  return {
    ...dropMail(translator, { ...mail, message: '' }),
    ...(count === 0
      ? {
          subject: translator.t('mail.reminder.messageSubject', { sender }),
          intro: translator.t('mail.reminder.messageIntro', { sender }),
        }
      : {
          subject: translator.t('mail.reminder.subject', { sender, count }),
          intro: translator.t('mail.reminder.intro', { sender }),
        }),
    // The text above says it.
    replyTo: undefined,
  };
}
