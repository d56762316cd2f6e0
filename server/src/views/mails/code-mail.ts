import type { MailContent } from '../components/mail.tsx';
import { isolate, oneLine } from '../plain.ts';
import type { Translator } from '../translator.ts';

export interface CodeMail {
  readonly code: string;
  readonly minutes: number;
  readonly senderName: string;
  readonly to: string;
}

/**
 * To a receiver: the code for the page they have opened. It is also in the subject, which a telephone shows at once.
 */
export function codeMail(translator: Translator, mail: CodeMail): MailContent {
  const sender = isolate(mail.senderName);
  return {
    subject: translator.t('mail.code.subject', { sender, code: oneLine(mail.code) }),
    intro: translator.t('mail.code.intro', { sender }),
    code: mail.code,
    note: translator.t('mail.code.valid', { count: mail.minutes }),
    closing: [translator.t('mail.code.warning')],
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
export function codeSms(translator: Translator, { code, minutes, host }: CodeSms): string {
  const digits = oneLine(code);
  return `${translator.t('sms.code', { code: digits, count: minutes })}\n@${host} #${digits}`;
}
