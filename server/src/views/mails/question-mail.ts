import type { MailContent } from '../components/mail.tsx';
import { isolate } from '../plain.ts';
import type { Translator } from '../translator.ts';

export interface QuestionMail {
  readonly question: 'more_time' | 'send_again';
  readonly receiver: string;
  readonly deadline: Date;
  readonly reference: string;
  readonly to: string;
}

const texts = {
  more_time: { subject: 'mail.more_time.subject', intro: 'mail.more_time.intro' },
  send_again: { subject: 'mail.send_again.subject', intro: 'mail.send_again.intro' },
} as const;

/** To the sender: a receiver needs more time, or came too late. */
export function questionMail(translator: Translator, mail: QuestionMail): MailContent {
  const receiver = isolate(mail.receiver);
  return {
    subject: translator.t(texts[mail.question].subject, { receiver }),
    intro: translator.t(texts[mail.question].intro, { deadline: translator.formatDate(mail.deadline) }),
    fields: [[translator.t('mail.receipt.receiver'), receiver]],
    reference: mail.reference,
    closing: [],
    to: mail.to,
  };
}
