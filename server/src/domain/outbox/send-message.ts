import type { Engines } from '../engines.ts';
import { dropEvents, toReceiverData } from '../events/drop-events.ts';
import { makeReceipt, type ReceiptNeeds } from '../evidence/make-receipt.ts';
import { ExchangeError } from '../exchange-error.ts';
import { retryThroughOutage } from '../flow/retry-through-outage.ts';
import type { Policy } from '../policy.ts';
import type { Mail, MailAttachment, SendOutcome } from '../ports/mailer.ts';
import { SendFailure } from '../ports/mailer.ts';
import type { Random } from '../ports/random.ts';
import { isSafeName } from '../safe-name.ts';
import { abandonMessage, stoppedReason } from './abandon-message.ts';
import { composeMail, composeSms, deriveSecrets, findOtherPerson } from './compose.ts';
import {
  findObsoleteReason,
  findReceiverStory,
  isNotice,
  isStoppable,
  toMessageId,
  toMessageReference,
} from './obsolete-message.ts';
import type { WaitingMessage } from './outbox-store.ts';
import { sendMail, sendSms } from './send-or-keep.ts';
import { cannotSend, removeLinks, toOneLine } from './server-reply.ts';

/** The job that sends a message: enqueued in the transaction that makes the message true. */
export const sendMessageJob = 'send-message';
/** About four days of growing pauses; then the message is abandoned, where administrators can see it. */
export const maxAttempts = 25;
const shortestPauseSeconds = 15;
const longestPauseSeconds = 6 * 60 * 60;
/**
 * A message whose sending process died is sent again after this time. The lease is renewed while the message is being
 * sent, however long that takes, and it outlasts a restart of the database in between.
 */
const defaultLeaseSeconds = 120;

type Needs = Pick<
  Engines,
  | 'store'
  | 'mailer'
  | 'returnPaths'
  | 'stopLinks'
  | 'sms'
  | 'mailTemplates'
  | 'dayKeys'
  | 'random'
  | 'policy'
  | 'checkpoint'
  | 'receiverPace'
  | 'logger'
  | 'logObjects'
  | 'witnesses'
  | 'receiptPrinter'
>;

/**
 * Sends one waiting message. A mail's Message-ID is fixed by its row, so that a mail that is sent twice, because a
 * process died between sending and recording it, can be recognised as one mail.
 */
export async function sendMessage(
  engines: Needs,
  accountId: string,
  messageId: string,
  leaseSeconds = defaultLeaseSeconds,
): Promise<void> {
  const { outbox } = engines.store;
  // If it cannot be read, it stays due: the queue tries again in seconds, and would find it leased otherwise.
  const message = await engines.store.transaction((tx) => tx.outbox.acquire(accountId, messageId, leaseSeconds));
  if (!message) return;
  const pointless = findObsoleteReason(message);
  if (pointless !== undefined) {
    await outbox.settle(accountId, messageId, 'abandoned', pointless);
    engines.logger.info('a message was not sent, because it is no longer needed', {
      ...toLogFields(message),
      reason: pointless,
    });
    return;
  }
  if (message.person.stopped && isStoppable(message.kind)) {
    await abandonMessage(engines, accountId, messageId, {
      outcome: stoppedReason,
      response: stoppedReason,
      actor: 'receiver',
    });
    engines.logger.info('a message was not sent', { ...toLogFields(message), reason: stoppedReason });
    return;
  }
  const waitSeconds = await findWaitSeconds(engines, message);
  if (waitSeconds > 0) {
    const outcome = 'waiting: many messages were sent to this receiver within an hour';
    return outbox.postpone(accountId, message, outcome, scatter(waitSeconds, engines.random));
  }

  const renewal = setInterval(
    () => void outbox.renewLease(accountId, message, leaseSeconds).catch(() => undefined),
    (leaseSeconds * 1000) / 4,
  );
  try {
    const { state, outcome, response = outcome } = await attempt(engines, accountId, message);
    if (state === 'sent') engines.checkpoint('message:sent');
    // Separate from sending: an attempt that succeeded must not be repeated because recording it failed.
    await retryThroughOutage(async () => {
      if (state === 'abandoned')
        await abandonMessage(engines, accountId, messageId, { outcome, response, actor: 'mail server' });
      else if (state === 'sent') await recordSent(engines, accountId, messageId, outcome);
      else await outbox.retry(accountId, message, outcome, pauseSeconds(message.attempts, engines.random));
    });
  } finally {
    clearInterval(renewal);
  }
}

/** A person is waiting for a code, and codes have their own limit. What is kept reaches nobody. */
async function findWaitSeconds({ receiverPace }: Needs, { kind, to, isTest }: WaitingMessage): Promise<number> {
  return kind === 'code' || isTest ? 0 : receiverPace.acquire(to);
}

/** Tries to send the message. Returns its new state, and why; for senders in other words if it is not about this message. */
async function attempt(
  engines: Needs,
  accountId: string,
  message: WaitingMessage,
): Promise<{ state: 'sent' | 'abandoned' | 'waiting'; outcome: string; response?: string }> {
  const toFailure = (outcome: string, reason: string, state: 'abandoned' | 'waiting', engine?: string) => {
    // A fault that concerns every message is logged once, for the engine.
    if (engine !== undefined && state === 'waiting') return { state, outcome: toOneLine(outcome) };
    engines.logger.warn(
      state === 'waiting' ? 'a message was not sent and will be tried again' : 'a message was abandoned',
      {
        ...toLogFields(message),
        reason,
      },
    );
    return { state, outcome: toOneLine(outcome) };
  };
  try {
    const { outcome, response } = await deliver(engines, accountId, message);
    if (outcome === 'sent') {
      engines.logger.info('a message was sent', toLogFields(message));
      return { state: 'sent', outcome: toOneLine(response) };
    }
    return toFailure(response, extractCodes(response), 'abandoned');
  } catch (error) {
    const { message: text, name } = error instanceof Error ? error : new Error(String(error));
    const { reason, engine } = error instanceof SendFailure ? error : { reason: name, engine: undefined };
    const state = message.attempts >= maxAttempts ? 'abandoned' : 'waiting';
    const isReply = error instanceof SendFailure && engine === undefined;
    if (isReply || message.channel === 'sms') return toFailure(text, reason, state, engine);
    return { ...toFailure(`${cannotSend}: ${text}`, reason, state, engine), response: cannotSend };
  }
}

/** The fields of a message in the log, without its receiver and its content. */
function toLogFields(message: WaitingMessage): Record<string, string | number> {
  const { id, kind, channel, attempts } = message;
  const engine = channel === 'sms' ? 'sms' : 'smtp';
  return { engine, message: id, kind, attempt: attempts, reference: toMessageReference(message) };
}

async function deliver(engines: Needs, accountId: string, waiting: WaitingMessage): Promise<SendOutcome> {
  const message = withSafeName(waiting);
  const { policy, returnPaths, stopLinks } = engines;
  const about = { ...toAccountMessage(accountId, message), ...(await deriveSecrets(engines, message)) };
  if (message.channel === 'sms') {
    return sendSms(engines, about, { to: message.to, text: await composeSms(engines, message) });
  }
  return sendMail(engines, about, {
    messageId: toMessageId(policy, message.id),
    ...toSender(policy, message),
    envelopeFrom: returnPaths?.toAddress(message.id) ?? policy.mailFrom,
    reportDelivery: returnPaths?.hasMailbox === true && !isNotice(message.kind),
    to: message.to,
    stopLink: isStoppable(message.kind) ? stopLinks.toUrl(message.id) : undefined,
    ...(await composeMail(engines, message)),
    attachments: message.isTest ? [] : await attachReceipt(engines, accountId, message),
  });
}

function toAccountMessage(accountId: string, { id, kind, isTest, ...message }: WaitingMessage) {
  const { dropId, dropType, requestId } = message;
  const isRequest = dropType === 'uploadfiles';
  const about = {
    dropId: dropType === 'downloadfiles' ? dropId : null,
    requestId: isRequest ? dropId : requestId,
  };
  return { accountId, id, kind, isTest, ...about };
}

/** With the address in place of a name that was stored before the rule for names became stricter. */
function withSafeName(message: WaitingMessage): WaitingMessage {
  return isSafeName(message.accountName) ? message : { ...message, accountName: message.account };
}

/**
 * A mail always comes from one address, which SPF, DKIM and DMARC vouch for, and its sender's name says who it is
 * from. A reply goes to the person at the other end.
 */
function toSender({ mailFrom, operatorName }: Policy, message: WaitingMessage): Pick<Mail, 'from' | 'replyTo'> {
  return {
    from: {
      name: isNotice(message.kind) ? operatorName : `${message.accountName} via ${operatorName}`,
      address: mailFrom,
    },
    replyTo: replyTo(mailFrom, message),
  };
}

function replyTo(mailFrom: string, message: WaitingMessage): string {
  // A person whom mails do not reach cannot be replied to.
  if (message.kind === 'undeliverable') return mailFrom;
  return isNotice(message.kind) ? findOtherPerson(message) : message.account;
}

/** The codes at the start of the reply: what follows may quote the message and does not belong in the log. */
function extractCodes(response: string): string {
  return /^\d{3}(?:[ -]\d\.\d{1,3}\.\d{1,3}\b)?/.exec(response)?.[0] ?? 'refused';
}

/** Doubling, with jitter, so that messages that failed together are not retried together. */
export function pauseSeconds(attempts: number, random: Random): number {
  const pause = Math.min(longestPauseSeconds, shortestPauseSeconds * 2 ** (attempts - 1));
  return Math.round(pause * (0.75 + random.bytes(1).readUInt8() / 510));
}

/** Up to a quarter later, so that messages that wait for the same moment are not all sent at once. */
function scatter(seconds: number, random: Random): number {
  return Math.ceil(seconds * (1 + random.bytes(1).readUInt8() / 1020));
}

/** A mail waits for its receipt this often; then it is sent without. */
const patientAttempts = 3;
/** Many mail servers refuse mails of 10 MB. */
const maxAttachedBytes = 5_000_000;
const always = new AbortController().signal;

/** Makes the receipt that a mail to the sender carries, if the account wants that. */
async function attachReceipt(
  engines: ReceiptNeeds,
  accountId: string,
  { kind, dropId, dropType, person, language, attempts }: WaitingMessage,
): Promise<readonly MailAttachment[]> {
  if (kind !== 'receipt' || dropType !== 'downloadfiles') return [];
  if (!(await engines.store.accounts.byId(accountId))?.attachReceipts) return [];
  const story = { accountId, dropId, position: person.position };
  try {
    const receipt = await makeReceipt(
      engines,
      { ...story, type: 'drop', format: 'pdf', languages: [language] },
      always,
    );
    return receipt.content.length > maxAttachedBytes ? [] : [receipt];
  } catch (error) {
    if (!(error instanceof ExchangeError)) throw error;
    const isLasting = error.code === 'not_found' || error.code === 'receipt_unavailable';
    if (isLasting || attempts >= patientAttempts) return [];
    throw new SendFailure('The receipt cannot be attached yet.', 'the receipt is not ready');
  }
}

/** Records that a server has accepted a message. The first one with the link is how its receiver was notified. */
export async function recordSent(
  { store }: Pick<Engines, 'store'>,
  accountId: string,
  messageId: string,
  outcome: string,
): Promise<void> {
  await store.transaction(async (tx) => {
    const sent = await tx.outbox.settle(accountId, messageId, 'sent', outcome);
    if (!sent) return;
    const story = findReceiverStory(accountId, sent);
    if (story) {
      const { channel, to, kind: purpose } = sent;
      const data = { channel, to, purpose, response: removeLinks(outcome) };
      await tx.evidence.append([{ ...story, kind: 'notification.sent', data }]);
    }
    if (!sent.notified) return;
    await tx.events.append(dropEvents({ accountId, ...sent.notified }, 'notified', toReceiverData(sent.notified)));
  });
}
