import type { Letter } from '../components/letter.tsx';
import { isolate, named } from '../plain.ts';
import type { Words } from '../words.ts';
import type { Sender } from './from.ts';

export interface ReportMail extends Sender {
  /** Who reports the sender. */
  readonly reporter: string;
  readonly sentAt: Date;
  readonly reference: string;
  readonly to: string;
}

/** To the operator: a receiver reports a sender. It has neither the link nor the message, which are not for operators. */
export function reportMail(words: Words, mail: ReportMail): Letter {
  const reporter = isolate(mail.reporter);
  const sender = isolate(named(mail.senderName, mail.sender));
  return {
    subject: words.t('mail.report.subject', { reporter, sender: isolate(mail.senderName) }),
    intro: words.t('mail.report.intro'),
    fields: [
      [words.t('mail.report.sender'), sender],
      [words.t('mail.report.reporter'), reporter],
      [words.t('mail.receipt.sent'), words.formatDate(mail.sentAt)],
    ],
    reference: mail.reference,
    closing: [],
    to: mail.to,
  };
}
