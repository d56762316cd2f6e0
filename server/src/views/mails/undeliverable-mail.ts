import type { ToldMember } from '../../domain/outbox/mail-templates.ts';
import type { MailContent, MailFile } from '../components/mail.tsx';
import { isolate } from '../plain.ts';
import type { Translator } from '../translator.ts';
import { createPageButton } from './page-button.ts';
import { describeTold } from './told-member.ts';

export interface UndeliverableMail {
  readonly receiver: string;
  /** The reply of the mail server; undefined if the receiver has stopped mails from the sender. */
  readonly response: string | undefined;
  readonly sentAt: Date;
  readonly files: readonly MailFile[];
  readonly fileCount: number;
  readonly to: string;
  readonly reference: string;
  /** The page of the web app that shows it; undefined if nobody signs in to the account. */
  readonly page?: string | undefined;
  /** Undefined if it is for the account's address. */
  readonly told?: ToldMember | undefined;
}

/** To the sender: the receiver's mail server does not accept our mail, or the receiver does not want it. */
export function undeliverableMail(translator: Translator, mail: UndeliverableMail): MailContent {
  const receiver = isolate(mail.receiver);
  const stopped = mail.response === undefined;
  const { fields, closing } = describeTold(translator, mail.told);
  return {
    subject: translator.t(stopped ? 'mail.stopped.subject' : 'mail.undeliverable.subject', { receiver }),
    intro: stopped
      ? translator.t('mail.stopped.intro')
      : [
          translator.t('mail.undeliverable.intro'),
          ...(mail.page === undefined
            ? [translator.t('mail.undeliverable.command', { receiver, reference: mail.reference })]
            : []),
        ].join(' '),
    button: createPageButton(translator, mail.page),
    fields: [
      ...fields,
      [translator.t('mail.receipt.sent'), translator.formatDate(mail.sentAt)],
      ...(mail.response === undefined
        ? []
        : [[translator.t('mail.undeliverable.reply'), isolate(mail.response)] as const]),
    ],
    files: mail.fileCount > 0 ? mail.files.map(({ name, sizeBytes }) => ({ name, sizeBytes })) : undefined,
    fileCount: mail.fileCount,
    reference: mail.reference,
    closing,
    to: mail.to,
  };
}
