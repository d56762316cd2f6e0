import type { MailContent } from '../components/mail.tsx';
import { nameBrowser } from '../components/name-browser.ts';
import { isolate } from '../plain.ts';
import type { Translator } from '../translator.ts';

export interface SignInMail {
  readonly operatorName: string;
  /** Where the person sees their sessions. */
  readonly link: string;
  readonly address: string;
  readonly userAgent: string;
  readonly at: Date;
  readonly to: string;
}

/** To a person, after a sign-in in a browser in which they have not signed in before. */
export function signInMail(translator: Translator, mail: SignInMail): MailContent {
  return {
    subject: translator.t('mail.signIn.subject', { operator: isolate(mail.operatorName) }),
    intro: translator.t('mail.signIn.intro'),
    button: { label: translator.t('mail.signIn.button'), here: translator.t('mail.signIn.here'), link: mail.link },
    fields: [
      [translator.t('mail.signIn.browser'), nameBrowser(translator, mail.userAgent)],
      [translator.t('mail.signIn.address'), isolate(mail.address)],
      [translator.t('mail.signIn.at'), translator.formatDate(mail.at)],
    ],
    closing: [translator.t('mail.signIn.unexpected')],
    to: mail.to,
  };
}
