import type { Mails, ToldMember } from '../../domain/outbox/mail-templates.ts';
import { formatName, isolate } from '../texts/plain.ts';
import type { Translator } from '../texts/translator.ts';
import type { MailContent } from './mail.tsx';
import { toTitleField } from './receiver-mails.ts';

/** To the people of an account: a contact or another account has sent files, or a message without any. */
export function receivedMail(translator: Translator, mail: Mails['received']): MailContent {
  const count = mail.fileCount;
  const { fields, closing } = describeTold(translator, mail.told);
  const contact = isolate(mail.contact);
  const deadline = translator.formatDate(mail.deadline);
  const isMessage = count === 0;
  return {
    subject: mail.title
      ? translator.t('mail.titled', { sender: contact, title: isolate(mail.title) })
      : isMessage
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

/** To the sender: everything was sent to the receiver. */
export function receiptMail(translator: Translator, mail: Mails['receipt']): MailContent {
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
    fields: [...toTitleField(translator, mail), ...fields],
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

/** To the sender: the receiver's mail server does not accept our mail, or the receiver does not want it. */
export function undeliverableMail(translator: Translator, mail: Mails['undeliverable']): MailContent {
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
      ...toTitleField(translator, mail),
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

const questionTexts = {
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

const revokedTexts = { files: 'mail.send_again.revoked', request: 'mail.send_again.requestRevoked' } as const;

/** To the sender: a receiver needs more time, or came too late. */
export function questionMail(translator: Translator, mail: Mails['question']): MailContent {
  const { subject, command, ...texts } = questionTexts[mail.question];
  const intros = mail.isRevoked && mail.question === 'send_again' ? revokedTexts : texts;
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

const intros = { gone: 'mail.webhook.gone', failing: 'mail.webhook.failing' } as const;

/** To the account's owner: events are no longer sent to a webhook. */
export function webhookDisabledMail(translator: Translator, mail: Mails['webhookDisabled']): MailContent {
  return {
    subject: translator.t('mail.webhook.subject'),
    intro: translator.t(intros[mail.reason]),
    fields: [
      [translator.t('mail.webhook.url'), isolate(mail.url)],
      [translator.t('mail.webhook.since'), translator.formatDate(mail.since)],
    ],
    closing: [translator.t('mail.webhook.next')],
    to: mail.to,
  };
}

/** To the account's owner: a program has failed on entries of the inbox, and nothing will try them again by itself. */
export function entriesParkedMail(translator: Translator, mail: Mails['entriesParked']): MailContent {
  const { count, attempts, page } = mail;
  return {
    subject: translator.t('mail.parked.subject', { count }),
    intro: translator.t('mail.parked.intro', { count, attempts }),
    button: createPageButton(translator, page),
    closing: [translator.t('mail.parked.next'), ...(page === undefined ? [translator.t('mail.parked.command')] : [])],
    to: mail.to,
  };
}

/**
 * To the operator: a receiver reports a sender. It contains neither the link nor the message, which operators must not
 * see.
 */
export function reportMail(translator: Translator, mail: Mails['report']): MailContent {
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

/** To an administrator who wants to see whether mails arrive. */
export function testMail(translator: Translator, mail: Mails['test']): MailContent {
  return {
    subject: translator.t('mail.test.subject'),
    intro: translator.t('mail.test.intro'),
    closing: [],
    to: mail.to,
  };
}

/** Leads a member of the account to the page that shows what the mail is about, if anybody signs in to the account. */
function createPageButton(translator: Translator, page: string | undefined): MailContent['button'] {
  return page === undefined
    ? undefined
    : { label: translator.t('mail.page.button'), here: translator.t('mail.page.here'), link: page };
}

/** The parts that a mail with news has for a member, and for nobody else. */
function describeTold(
  translator: Translator,
  told: ToldMember | undefined,
): { fields: NonNullable<MailContent['fields']>; closing: readonly string[] } {
  if (!told) return { fields: [], closing: [] };
  const { settingsLink, sharedAccount, more } = told;
  return {
    fields: sharedAccount === undefined ? [] : [[translator.t('mail.news.account'), isolate(sharedAccount)]],
    closing: [
      ...(more > 0 ? [translator.t('mail.news.more', { count: more })] : []),
      translator.t('mail.news.choose', { link: settingsLink }),
    ],
  };
}
