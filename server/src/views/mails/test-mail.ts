import type { Letter } from '../components/letter.tsx';
import type { Words } from '../words.ts';

export interface TestMail {
  readonly to: string;
}

/** To an administrator who wants to see whether mails arrive. */
export function testMail(words: Words, mail: TestMail): Letter {
  return {
    subject: words.t('mail.test.subject'),
    intro: words.t('mail.test.intro'),
    closing: [],
    to: mail.to,
  };
}
