import type { MailContent, MailFile } from '../components/mail.tsx';
import { isolate } from '../plain.ts';
import type { Translator } from '../translator.ts';

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
}

/** To the owner of an account: a contact has sent files. */
export function receivedMail(translator: Translator, mail: ReceivedMail): MailContent {
  const count = mail.fileCount;
  return {
    subject: translator.t('mail.received.subject', { contact: isolate(mail.contact), count }),
    intro: translator.t('mail.received.intro', { count, deadline: translator.formatDate(mail.deadline) }),
    button:
      mail.page === undefined
        ? undefined
        : {
            label: translator.t('mail.drop.button', { count }),
            here: translator.t('mail.drop.here', { count }),
            link: mail.page,
          },
    message: mail.message,
    files: mail.files,
    fileCount: count,
    totalBytes: mail.totalBytes,
    unscannedCount: mail.unscannedCount,
    reference: mail.reference,
    closing: mail.isUnsolicited ? [translator.t('inbox.unsolicitedText')] : [],
    replyTo: mail.contact,
    to: mail.to,
  };
}
