import type { PersonLinked } from '../../domain/outbox/mail-templates.ts';
import type { MailContent } from '../components/mail.tsx';
import { isolate } from '../plain.ts';
import type { Translator } from '../translator.ts';

/** To a person who gets an account: choose how to sign in. */
export function personInvitationMail(
  translator: Translator,
  mail: PersonLinked & { readonly invitedBy: string },
): MailContent {
  const operator = isolate(mail.operatorName);
  return {
    subject: translator.t('mail.personInvitation.subject', { operator }),
    intro: translator.t('mail.personInvitation.intro', { operator }),
    button: {
      label: translator.t('mail.personInvitation.button'),
      here: translator.t('mail.personInvitation.here'),
      link: mail.link,
    },
    note: translator.t('mail.linkUntil', { deadline: translator.formatDate(mail.deadline) }),
    fields: [[translator.t('mail.personInvitation.by'), isolate(mail.invitedBy)]],
    closing: [translator.t('mail.private')],
    to: mail.to,
  };
}

/** To a person who has lost every sign-in method, or to whoever holds their address. */
export function recoveryMail(translator: Translator, mail: PersonLinked): MailContent {
  const operator = isolate(mail.operatorName);
  return {
    subject: translator.t('mail.recovery.subject', { operator }),
    intro: translator.t('mail.recovery.intro'),
    button: { label: translator.t('mail.recovery.button'), here: translator.t('mail.recovery.here'), link: mail.link },
    note: translator.t('mail.linkUntil', { deadline: translator.formatDate(mail.deadline) }),
    closing: [translator.t('mail.private'), translator.t('mail.recovery.unexpected')],
    to: mail.to,
  };
}
