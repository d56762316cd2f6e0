import type { MailContent } from '../components/mail.tsx';
import { isolate } from '../plain.ts';
import type { Translator } from '../translator.ts';
import { fromField, toStop } from './from.ts';
import type { RequestMail } from './request-mail.ts';

/** To a visitor of a public page: with this link, you can send the files. */
export function publicLinkMail(translator: Translator, mail: Omit<RequestMail, 'message' | 'reusable'>): MailContent {
  const sender = isolate(mail.senderName);
  return {
    subject: translator.t('mail.publicLink.subject', { sender }),
    intro: translator.t('mail.publicLink.intro', { sender }),
    button: { label: translator.t('mail.request.button'), here: translator.t('mail.request.here'), link: mail.link },
    note: [
      translator.t('mail.linkUntil', { deadline: translator.formatDate(mail.deadline) }),
      translator.t('upload.once'),
    ].join(' '),
    fields: fromField(translator, mail),
    reference: mail.reference,
    closing: [translator.t('mail.private'), translator.t('mail.publicLink.unexpected', { sender })],
    to: mail.to,
    stop: toStop(mail),
  };
}
