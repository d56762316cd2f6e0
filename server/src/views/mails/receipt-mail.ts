import type { ToldMember } from '../../domain/outbox/mail-templates.ts';
import type { MailContent, MailFile } from '../components/mail.tsx';
import { isolate } from '../plain.ts';
import type { Translator } from '../translator.ts';
import { createPageButton } from './page-button.ts';
import { describeTold } from './told-member.ts';

export interface ReceiptMail {
  readonly receiver: string;
  readonly files: readonly MailFile[];
  readonly fileCount: number;
  readonly totalBytes: number;
  /** How many of all files were not scanned. */
  readonly unscannedCount: number;
  readonly sentAt: Date;
  readonly openedAt: Date | null;
  readonly completedAt: Date;
  /** The addresses of the people of the account who saw the receiver's link. */
  readonly shownTo: readonly string[];
  readonly to: string;
  readonly reference: string;
  /** The page of the web app that shows it; undefined if nobody signs in to the account. */
  readonly page?: string | undefined;
  /** Undefined if it is for the account's address. */
  readonly told?: ToldMember | undefined;
}

/** To the sender: everything was sent to the receiver. */
export function receiptMail(translator: Translator, mail: ReceiptMail): MailContent {
  const count = mail.fileCount;
  const receiver = isolate(mail.receiver);
  const isMessage = count === 0;
  const { fields, closing } = describeTold(translator, mail.told);
  return {
    subject: isMessage
      ? translator.t('mail.receipt.messageSubject', { receiver })
      : translator.t('mail.receipt.subject', { receiver, count }),
    intro: isMessage ? translator.t('mail.receipt.messageIntro') : translator.t('mail.receipt.intro', { count }),
    button: createPageButton(translator, mail.page),
    steps: [
      [translator.t('mail.receipt.sent'), translator.formatDate(mail.sentAt)],
      ...(mail.openedAt ? [[translator.t('status.opened'), translator.formatDate(mail.openedAt)] as const] : []),
      ...(isMessage
        ? []
        : [[translator.t('mail.receipt.completed'), translator.formatDate(mail.completedAt)] as const]),
    ],
    fields,
    files: mail.files,
    fileCount: count,
    totalBytes: isMessage ? undefined : mail.totalBytes,
    unscannedCount: mail.unscannedCount,
    reference: mail.reference,
    closing: [
      ...(mail.shownTo.length === 0
        ? []
        : [translator.t('mail.receipt.shown', { people: mail.shownTo.map(isolate).join(', ') })]),
      ...closing,
    ],
    replyTo: mail.receiver,
    to: mail.to,
  };
}
