import type { ToldMember } from '../../domain/outbox/mail-templates.ts';
import type { MailContent, MailFile } from '../components/mail.tsx';
import { isolate } from '../plain.ts';
import type { Translator } from '../translator.ts';
import { describeTold } from './told-member.ts';

export interface ReceivedMail {
  readonly contact: string;
  readonly message: string;
  /** All of the files, or the first of them. */
  readonly files: readonly MailFile[];
  readonly fileCount: number;
  readonly totalBytes: number;
  /** How many of all files were not scanned. */
  readonly unscannedCount: number;
  readonly deadline: Date;
  /** Whether nobody asked for it: it came through the account's public page. */
  readonly isUnsolicited: boolean;
  readonly to: string;
  readonly reference: string;
  /** The page of the web app that shows it; undefined if nobody signs in to the account. */
  readonly page?: string | undefined;
  /** Undefined if it is for the account's address. */
  readonly told?: ToldMember | undefined;
}

/** To the people of an account: a contact or another account has sent files, or a message without any. */
export function receivedMail(translator: Translator, mail: ReceivedMail): MailContent {
  const count = mail.fileCount;
  const { fields, closing } = describeTold(translator, mail.told);
  const contact = isolate(mail.contact);
  const deadline = translator.formatDate(mail.deadline);
  const isMessage = count === 0;
  return {
    subject: isMessage
      ? translator.t('mail.drop.messageSubject', { sender: contact })
      : translator.t('mail.received.subject', { contact, count }),
    intro: isMessage
      ? translator.t('mail.received.messageIntro', { deadline })
      : translator.t('mail.received.intro', { count, deadline }),
    button:
      mail.page === undefined
        ? undefined
        : {
            label: isMessage ? translator.t('mail.drop.messageButton') : translator.t('mail.drop.button', { count }),
            here: isMessage ? translator.t('mail.drop.messageHere') : translator.t('mail.drop.here', { count }),
            link: mail.page,
          },
    fields,
    message: mail.message,
    files: mail.files,
    fileCount: count,
    totalBytes: isMessage ? undefined : mail.totalBytes,
    unscannedCount: mail.unscannedCount,
    reference: mail.reference,
    closing: [...(mail.isUnsolicited ? [translator.t('inbox.unsolicitedText')] : []), ...closing],
    replyTo: mail.contact,
    to: mail.to,
  };
}
