import type { CodeSms, Mails } from '../../domain/outbox/mail-templates.ts';
import { isolate, oneLine } from '../texts/plain.ts';
import type { ViewTranslator } from '../texts/translator-context.ts';
import type { MailContent } from './mail.tsx';

type Sender = Pick<Mails['drop'], 'sender' | 'senderName'>;

/** To a receiver: here are your files, or here is your message. */
export function dropMail(translator: ViewTranslator, mail: Mails['drop']): MailContent {
  const count = mail.fileCount;
  const sender = isolate(mail.senderName);
  const deadline = translator.formatDate(mail.deadline);
  const texts =
    count === 0
      ? {
          subject: translator.t('mail.drop.messageSubject', { sender }),
          label: translator.t('mail.drop.messageButton'),
          here: translator.t('mail.drop.messageHere'),
          note: translator.t('mail.linkUntil', { deadline }),
        }
      : {
          subject: translator.t('mail.drop.subject', { sender, count }),
          label: translator.t('mail.drop.button', { count }),
          here: translator.t('mail.drop.here', { count }),
          note: translator.t('mail.drop.note', { size: translator.formatSize(mail.totalBytes), deadline }),
        };
  return {
    // The usual subject follows in the text: anyone can write anything into a title.
    ...(mail.title
      ? { subject: translator.t('mail.titled', { sender, title: isolate(mail.title) }), intro: texts.subject }
      : { subject: texts.subject }),
    button: { label: texts.label, here: texts.here, link: mail.link },
    note: texts.note,
    message: mail.message,
    files: mail.files,
    fileCount: count,
    unscannedCount: mail.unscannedCount,
    fields: fromField(translator, mail),
    reference: mail.reference,
    closing: [translator.t('mail.private'), translator.t('mail.unexpected')],
    replyTo: mail.senderName,
    to: mail.to,
    stop: toStop(mail),
  };
}

/** To a receiver who has not fetched everything when the deadline is near. */
export function reminderMail(translator: ViewTranslator, mail: Mails['reminder']): MailContent {
  const sender = isolate(mail.senderName);
  const count = mail.fileCount;
  return {
    ...dropMail(translator, { ...mail, title: null, message: '' }),
    fields: [...toTitleField(translator, mail), ...fromField(translator, mail)],
    ...(count === 0
      ? {
          subject: translator.t('mail.reminder.messageSubject', { sender }),
          intro: translator.t('mail.reminder.messageIntro', { sender }),
        }
      : {
          subject: translator.t('mail.reminder.subject', { sender, count }),
          intro: translator.t('mail.reminder.intro', { sender }),
        }),
    // The text above says it.
    replyTo: undefined,
  };
}

/** To a contact: you can send files back. */
export function requestMail(translator: ViewTranslator, mail: Mails['request']): MailContent {
  const sender = isolate(mail.senderName);
  return {
    subject: nameAsked(translator, 'mail.request.subject', mail),
    intro: translator.t('mail.request.intro', { sender }),
    wanted: mail.wanted.map(({ name }) => name),
    button: { label: translator.t('mail.request.button'), here: translator.t('mail.request.here'), link: mail.link },
    note: [
      translator.t('mail.linkUntil', { deadline: translator.formatDate(mail.deadline) }),
      ...(mail.reusable ? [] : [translator.t('upload.once')]),
    ].join(' '),
    message: mail.message,
    fields: fromField(translator, mail),
    reference: mail.reference,
    closing: [translator.t('mail.private'), translator.t('mail.unexpected')],
    replyTo: mail.senderName,
    to: mail.to,
    stop: toStop(mail),
  };
}

/** To a contact who has not sent anything yet. */
export function requestReminderMail(translator: ViewTranslator, mail: Mails['request']): MailContent {
  return {
    ...requestMail(translator, mail),
    subject: nameAsked(translator, 'mail.requestReminder.subject', mail),
    intro: translator.t('mail.requestReminder.intro', { sender: isolate(mail.senderName) }),
    // The text above says it.
    replyTo: undefined,
  };
}

/** The subject, with the title that the sender gave the request. */
function nameAsked(translator: ViewTranslator, key: string, { senderName, title }: Mails['request']): string {
  const subject = translator.t(key, { sender: isolate(senderName) });
  return title ? translator.t('common.labelled', { label: subject, value: isolate(title) }) : subject;
}

/** To a visitor of a public page: with this link, you can send the files. */
export function publicLinkMail(translator: ViewTranslator, mail: Mails['publicLink']): MailContent {
  const sender = isolate(mail.senderName);
  return {
    subject: translator.t('mail.publicLink.subject', { sender }),
    intro: translator.t('mail.publicLink.intro', { sender }),
    button: { label: translator.t('mail.request.button'), here: translator.t('mail.request.here'), link: mail.link },
    note: [
      translator.t('mail.linkUntil', { deadline: translator.formatDate(mail.deadline) }),
      translator.t('upload.once'),
    ].join(' '),
    fields: fromField(translator, mail),
    reference: mail.reference,
    closing: [translator.t('mail.private'), translator.t('mail.publicLink.unexpected', { sender })],
    to: mail.to,
    stop: toStop(mail),
  };
}

/** To a contact: the files that they sent. */
export function confirmationMail(translator: ViewTranslator, mail: Mails['confirmation']): MailContent {
  const count = mail.fileCount;
  const receiver = isolate(mail.receiver);
  const sentAt = translator.formatDate(mail.sentAt);
  return {
    subject: translator.t('mail.confirmation.subject', { receiver, count }),
    intro: translator.t('mail.confirmation.intro', { count }),
    message: mail.message,
    files: mail.files,
    fileCount: count,
    totalBytes: mail.totalBytes,
    unscannedCount: mail.unscannedCount,
    fields: [
      [translator.t('common.to'), receiver],
      [translator.t('sent.at'), sentAt],
    ],
    reference: mail.reference,
    closing: [translator.t('mail.confirmation.notYou', { receiver })],
    replyTo: mail.receiver,
    to: mail.to,
    stop: { sender: receiver, link: mail.stopLink },
  };
}

/**
 * To a receiver: the code for the page they have opened. It is also in the subject, which a telephone shows at once.
 */
export function codeMail(translator: ViewTranslator, mail: Mails['code']): MailContent {
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

/**
 * One text message of at most 160 characters of the GSM alphabet, in the languages that come with the product.
 * Telephones offer the code in the last line on that host's pages, and on no others.
 */
export function codeSms(translator: ViewTranslator, { code, minutes, host }: CodeSms): string {
  const digits = oneLine(code);
  return `${translator.t('sms.code', { code: digits, count: minutes })}\n@${host} #${digits}`;
}

/** The sender's address, because anyone can choose a name. Empty if the subject has the address. */
function fromField(translator: ViewTranslator, { sender, senderName }: Sender): readonly (readonly [string, string])[] {
  return sender === senderName ? [] : [[translator.t('common.from'), isolate(sender)]];
}

export function toTitleField(
  translator: ViewTranslator,
  { title }: Pick<Mails['drop'], 'title'>,
): readonly (readonly [string, string])[] {
  return title ? [[translator.t('common.title'), isolate(title)]] : [];
}

/** The link with which the reader can stop or report the sender. */
function toStop({ senderName, stopLink }: Sender & { readonly stopLink: string }): NonNullable<MailContent['stop']> {
  return { sender: isolate(senderName), link: stopLink };
}
