import type { ToldMember } from '../../domain/outbox/mail-templates.ts';
import type { MailContent } from '../components/mail.tsx';
import { isolate } from '../plain.ts';
import type { Translator } from '../translator.ts';
import { createPageButton } from './page-button.ts';
import { describeTold } from './told-member.ts';

export interface QuestionMail {
  readonly question: 'more_time' | 'send_again';
  /** Whether it is about a request for files, which a contact has not sent. */
  readonly isRequest: boolean;
  readonly receiver: string;
  readonly deadline: Date;
  readonly reference: string;
  /** The page of the web app that shows it; undefined if nobody signs in to the account. */
  readonly page?: string | undefined;
  /** Undefined if it is for the account's address. */
  readonly told?: ToldMember | undefined;
  readonly to: string;
}

const texts = {
  more_time: {
    subject: 'mail.more_time.subject',
    files: 'mail.more_time.intro',
    request: 'mail.more_time.intro',
    command: 'mail.more_time.command',
  },
  send_again: {
    subject: 'mail.send_again.subject',
    files: 'mail.send_again.intro',
    request: 'mail.send_again.request',
    command: undefined,
  },
} as const;

/** To the sender: a receiver needs more time, or came too late. */
export function questionMail(translator: Translator, mail: QuestionMail): MailContent {
  const { subject, command, ...intros } = texts[mail.question];
  return {
    subject: translator.t(subject, { receiver: isolate(mail.receiver) }),
    intro: [
      translator.t(intros[mail.isRequest ? 'request' : 'files'], { deadline: translator.formatDate(mail.deadline) }),
      ...(mail.page === undefined && command !== undefined
        ? [translator.t(command, { reference: mail.reference })]
        : []),
    ].join(' '),
    button: createPageButton(translator, mail.page),
    reference: mail.reference,
    ...describeTold(translator, mail.told),
    replyTo: mail.receiver,
    to: mail.to,
  };
}
