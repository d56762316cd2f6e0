import type { Letter } from '../components/letter.tsx';
import { isolate } from '../plain.ts';
import type { Words } from '../words.ts';

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
export function questionMail(words: Words, mail: QuestionMail): Letter {
  const receiver = isolate(mail.receiver);
  return {
    subject: words.t(texts[mail.question].subject, { receiver }),
    intro: words.t(texts[mail.question].intro, { deadline: words.formatDate(mail.deadline) }),
    fields: [[words.t('mail.receipt.receiver'), receiver]],
    reference: mail.reference,
    closing: [],
    to: mail.to,
  };
}
