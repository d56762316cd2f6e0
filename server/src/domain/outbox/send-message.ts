import type { Engines, Random, SendOutcome, WaitingMessage } from '../ports.ts';
import { composeMail, composeSms } from './compose.ts';

/** The job that sends a message: enqueued in the transaction that makes the message true. */
export const sendMessageJob = 'send-message';
/** About four days of growing pauses; then the message is given up, on view. */
export const mostAttempts = 25;
const shortestPauseSeconds = 15;
const longestPauseSeconds = 6 * 60 * 60;
/** Longer than a mail server may take; a message whose sender died is sent again after it. */
const leaseSeconds = 90;

type Needs = Pick<Engines, 'store' | 'mailer' | 'sms' | 'letters' | 'keys' | 'random' | 'policy' | 'checkpoint'>;

/**
 * Sends one waiting message. A mail's Message-ID is fixed by its row, so that a mail sent twice because a process died
 * between sending and noting it can be recognised as one.
 */
export async function sendMessage(engines: Needs, accountId: string, messageId: string): Promise<void> {
  const { outbox } = engines.store;
  const message = await outbox.take(accountId, messageId, leaseSeconds);
  if (!message) return;
  try {
    const { outcome, answer } = await deliver(engines, message);
    engines.checkpoint('message:sent');
    await outbox.settle(accountId, messageId, outcome === 'sent' ? 'sent' : 'given_up', answer);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    if (message.attempts >= mostAttempts) return outbox.settle(accountId, messageId, 'given_up', reason);
    await outbox.retry(accountId, messageId, reason, pauseSeconds(message.attempts, engines.random));
  }
}

async function deliver(engines: Needs, message: WaitingMessage): Promise<SendOutcome> {
  const { policy, mailer, sms } = engines;
  if (message.channel === 'sms') {
    if (!sms) throw new Error('no SMS gateway is configured');
    return sms.send({ to: message.to, text: await composeSms(engines, message) });
  }
  return mailer.send({
    messageId: `<${message.id}@${new URL(policy.publicUrl).hostname}>`,
    from: policy.mailFrom,
    to: message.to,
    ...(await composeMail(engines, message)),
  });
}

/** Doubling, and scattered, so that what failed together is not tried again together. */
export function pauseSeconds(attempts: number, random: Random): number {
  const pause = Math.min(longestPauseSeconds, shortestPauseSeconds * 2 ** (attempts - 1));
  return Math.round(pause * (0.75 + random.bytes(1).readUInt8() / 510));
}
