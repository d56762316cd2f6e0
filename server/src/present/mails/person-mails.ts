import type { AddedMethod, Mails, SignInNoticed } from '../../domain/outbox/mail-templates.ts';
import { nameBrowser } from '../texts/name-browser.ts';
import { isolate, oneLine } from '../texts/plain.ts';
import type { Translator } from '../texts/translator.ts';
import type { MailContent } from './mail.tsx';

/** To a person who gets an account: choose how to sign in. */
export function personInvitationMail(translator: Translator, mail: Mails['personInvitation']): MailContent {
  const operator = isolate(mail.operatorName);
  const { inviter, account } = mail;
  return {
    subject: inviter
      ? translator.t('mail.personInvitation.subjectFrom', { operator, person: isolate(inviter.name || inviter.email) })
      : translator.t('mail.personInvitation.subject', { operator }),
    intro: translator.t('mail.personInvitation.intro', { operator }),
    button: {
      label: translator.t('mail.personInvitation.button'),
      here: translator.t('mail.personInvitation.here'),
      link: mail.link,
    },
    note: translator.t('mail.linkUntil', { deadline: translator.formatDate(mail.deadline) }),
    fields: [
      [translator.t('mail.personInvitation.by'), inviter ? nameWithAddress(inviter) : operator],
      [translator.t('signIn.invitation.account'), nameWithAddress(account)],
    ],
    closing: [translator.t('mail.private')],
    to: mail.to,
  };
}

/** Anyone can choose a name, so the address is said too. */
function nameWithAddress({ name, email }: { readonly name: string; readonly email: string }): string {
  return name === '' || name === email ? isolate(email) : `${isolate(oneLine(name))} (${isolate(email)})`;
}

/** To a person who has lost every sign-in method, or to whoever holds their address. */
export function recoveryMail(translator: Translator, mail: Mails['recovery']): MailContent {
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

/** To a person, after a sign-in in a browser in which they have not signed in before. */
export function signInMail(translator: Translator, mail: Mails['signIn']): MailContent {
  return {
    subject: translator.t('mail.signIn.subject', { operator: isolate(mail.operatorName) }),
    intro: translator.t('mail.signIn.intro'),
    button: { label: translator.t('mail.signIn.button'), here: translator.t('mail.signIn.here'), link: mail.link },
    fields: describeOrigin(translator, mail),
    closing: [translator.t('mail.signIn.unexpected')],
    to: mail.to,
  };
}

/** To a person, after a sign-in method was added to theirs. */
export function methodAddedMail(translator: Translator, mail: Mails['methodAdded']): MailContent {
  return {
    subject: translator.t('mail.methodAdded.subject', { operator: isolate(mail.operatorName) }),
    intro: translator.t('mail.methodAdded.intro'),
    button: {
      label: translator.t('mail.methodAdded.button'),
      here: translator.t('mail.methodAdded.here'),
      link: mail.link,
    },
    fields: [
      [translator.t('mail.methodAdded.method'), nameMethod(translator, mail.added)],
      ...describeOrigin(translator, mail),
    ],
    closing: [translator.t('mail.methodAdded.unexpected')],
    to: mail.to,
  };
}

function nameMethod(translator: Translator, added: AddedMethod): string {
  if (added.kind === 'password') return translator.t('signIn.password');
  const parts =
    added.kind === 'passkey' ? [translator.t('settings.passkey'), added.name] : [added.provider, added.label];
  return parts
    .filter((part) => part !== '')
    .map((part) => isolate(oneLine(part)))
    .join(', ');
}

function describeOrigin(translator: Translator, { userAgent, address, at }: SignInNoticed): [string, string][] {
  return [
    [translator.t('mail.signIn.browser'), nameBrowser(translator, userAgent)],
    [translator.t('mail.signIn.address'), isolate(address)],
    [translator.t('mail.signIn.at'), translator.formatDate(at)],
  ];
}
