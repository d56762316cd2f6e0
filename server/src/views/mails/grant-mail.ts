import type { Letter } from '../components/letter.tsx';
import { isolate } from '../plain.ts';
import type { Words } from '../words.ts';
import { fromField, type Sender, stopOf } from './from.ts';

export interface GrantMail extends Sender {
  readonly message: string;
  readonly deadline: Date;
  readonly link: string;
  readonly stopLink: string;
  readonly to: string;
  readonly reference: string;
}

/** To a contact: you can send files back. */
export function grantMail(words: Words, mail: GrantMail): Letter {
  const sender = isolate(mail.senderName);
  return {
    subject: words.t('mail.grant.subject', { sender }),
    intro: words.t('mail.grant.intro', { sender }),
    button: { label: words.t('mail.grant.button'), here: words.t('mail.grant.here'), link: mail.link },
    note: words.t('mail.linkUntil', { deadline: words.formatDate(mail.deadline) }),
    message: mail.message,
    fields: fromField(words, mail),
    reference: mail.reference,
    closing: [words.t('mail.private'), words.t('mail.unexpected')],
    to: mail.to,
    stop: stopOf(mail),
  };
}

/** To a contact who has not sent anything yet. */
export function grantReminderMail(words: Words, mail: GrantMail): Letter {
  return {
    ...grantMail(words, mail),
    subject: words.t('mail.grantReminder.subject', { sender: isolate(mail.senderName) }),
    intro: words.t('mail.grantReminder.intro'),
  };
}
