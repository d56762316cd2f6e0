import type { MailContent } from '../components/mail.tsx';
import { formatName, isolate } from '../plain.ts';
import type { Translator } from '../translator.ts';
import type { Sender } from './from.ts';

export interface ReportMail extends Sender {
  /** The person who reports the sender. */
  readonly reporter: string;
  readonly sentAt: Date;
  readonly reference: string;
  readonly to: string;
}

/**
 * To the operator: a receiver reports a sender. It contains neither the link nor the message, which operators must not
 * see.
 */
export function reportMail(translator: Translator, mail: ReportMail): MailContent {
  const reporter = isolate(mail.reporter);
  const sender = isolate(formatName(mail.senderName, mail.sender));
  return {
    subject: translator.t('mail.report.subject', { reporter, sender: isolate(mail.senderName) }),
    intro: translator.t('mail.report.intro'),
    fields: [
      [translator.t('mail.report.sender'), sender],
      [translator.t('mail.report.reporter'), reporter],
      [translator.t('mail.receipt.sent'), translator.formatDate(mail.sentAt)],
    ],
    reference: mail.reference,
    closing: [],
    to: mail.to,
  };
}
