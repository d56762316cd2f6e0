import type { AddedMethod, SignInNoticed } from '../../domain/outbox/mail-templates.ts';
import type { MailContent } from '../components/mail.tsx';
import { nameBrowser } from '../components/name-browser.ts';
import { isolate, oneLine } from '../plain.ts';
import type { Translator } from '../translator.ts';

/** To a person, after a sign-in in a browser in which they have not signed in before. */
export function signInMail(translator: Translator, mail: SignInNoticed): MailContent {
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
export function methodAddedMail(
  translator: Translator,
  mail: SignInNoticed & { readonly added: AddedMethod },
): MailContent {
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
