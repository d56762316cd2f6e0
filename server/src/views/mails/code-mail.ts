import type { Letter } from '../components/letter.tsx';
import { isolate, oneLine } from '../plain.ts';
import type { Words } from '../words.ts';

export interface CodeMail {
  readonly code: string;
  readonly minutes: number;
  readonly senderName: string;
  readonly to: string;
}

/**
 * To a receiver: the code for the page they have opened. It is also in the subject, which a telephone shows at once.
 */
export function codeMail(words: Words, mail: CodeMail): Letter {
  const sender = isolate(mail.senderName);
  return {
    subject: words.t('mail.code.subject', { sender, code: oneLine(mail.code) }),
    intro: words.t('mail.code.intro', { sender }),
    code: mail.code,
    note: words.t('mail.code.valid', { count: mail.minutes }),
    closing: [words.t('mail.code.warning')],
    to: mail.to,
  };
}

export interface CodeSms {
  readonly code: string;
  readonly minutes: number;
  /** The host of the page that asks for the code. */
  readonly host: string;
}

/**
 * One text message of at most 160 characters of the GSM alphabet, in the languages that come with the product.
 * Telephones offer the code in the last line on that host's pages, and on no others.
 */
export function codeSms(words: Words, { code, minutes, host }: CodeSms): string {
  const digits = oneLine(code);
  return `${words.t('sms.code', { code: digits, count: minutes })}\n@${host} #${digits}`;
}
