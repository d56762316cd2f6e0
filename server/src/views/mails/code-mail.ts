import { type RenderedMail, renderLetter } from '../components/letter.tsx';
import { isolate, oneLine } from '../plain.ts';
import type { Words } from '../words.ts';

export interface CodeMail {
  readonly code: string;
  readonly minutes: number;
  readonly sender: string;
  readonly brand?: string | undefined;
}

/** To a receiver: the code for the page they have opened. It is in the body only: a subject is seen on locked screens. */
export function codeMail(words: Words, mail: CodeMail): RenderedMail {
  const sender = isolate(mail.sender);
  const valid = words.t('mail.code.valid', { count: mail.minutes });
  return renderLetter(words, {
    subject: words.t('mail.code.subject', { sender }),
    preheader: valid,
    intro: words.t('mail.code.intro', { sender }),
    code: mail.code,
    closing: [valid, words.t('mail.code.warning')],
    brand: mail.brand,
  });
}

/** One text message of at most 160 characters of the GSM alphabet, in the languages that come with the product. */
export function codeSms(words: Words, sms: { readonly code: string; readonly minutes: number }): string {
  return words.t('sms.code', { code: oneLine(sms.code), count: sms.minutes });
}
