import type { MailContent } from '../components/mail.tsx';
import type { Translator } from '../translator.ts';

export interface TestMail {
  readonly to: string;
}

/** To an administrator who wants to see whether mails arrive. */
export function testMail(translator: Translator, mail: TestMail): MailContent {
  return {
    subject: translator.t('mail.test.subject'),
    intro: translator.t('mail.test.intro'),
    closing: [],
    to: mail.to,
  };
}
