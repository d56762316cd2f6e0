import type { MailContent } from '../components/mail.tsx';
import { isolate } from '../plain.ts';
import type { Translator } from '../translator.ts';
import { fromField, type Sender, toStop } from './from.ts';

export interface RequestMail extends Sender {
  readonly message: string;
  /** Whether the contact may send files any number of times. */
  readonly reusable: boolean;
  readonly deadline: Date;
  readonly link: string;
  readonly stopLink: string;
  readonly to: string;
  readonly reference: string;
}

/** To a contact: you can send files back. */
export function requestMail(translator: Translator, mail: RequestMail): MailContent {
  const sender = isolate(mail.senderName);
  return {
    subject: translator.t('mail.request.subject', { sender }),
    intro: translator.t('mail.request.intro', { sender }),
    button: { label: translator.t('mail.request.button'), here: translator.t('mail.request.here'), link: mail.link },
    note: [
      translator.t('mail.linkUntil', { deadline: translator.formatDate(mail.deadline) }),
      ...(mail.reusable ? [] : [translator.t('upload.once')]),
    ].join(' '),
    message: mail.message,
    fields: fromField(translator, mail),
    reference: mail.reference,
    closing: [translator.t('mail.private'), translator.t('mail.unexpected')],
    replyTo: mail.senderName,
    to: mail.to,
    stop: toStop(mail),
  };
}

/** To a contact who has not sent anything yet. */
export function requestReminderMail(translator: Translator, mail: RequestMail): MailContent {
  return {
    ...requestMail(translator, mail),
    subject: translator.t('mail.requestReminder.subject', { sender: isolate(mail.senderName) }),
    intro: translator.t('mail.requestReminder.intro', { sender: isolate(mail.senderName) }),
    // The text above says it.
    replyTo: undefined,
  };
}
