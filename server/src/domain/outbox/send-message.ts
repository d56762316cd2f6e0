import type { Engines, Random, SendOutcome, WaitingMessage } from '../ports/index.ts';
import { composeMail, composeSms } from './compose.ts';
import { patiently } from './patiently.ts';
import { pointlessBecause } from './pointless.ts';
import { SendFailure } from './send-failure.ts';

/** The job that sends a message: enqueued in the transaction that makes the message true. */
export const sendMessageJob = 'send-message';
/** About four days of growing pauses; then the message is given up, on view. */
export const maxAttempts = 25;
const shortestPauseSeconds = 15;
const longestPauseSeconds = 6 * 60 * 60;
/**
 * A message whose sender died is sent again after it. It is renewed while the message is being sent, however long that
 * takes, and it outlasts a restart of the database in between.
 */
const defaultLeaseSeconds = 120;
const maxOutcomeLength = 500;

type Needs = Pick<
  Engines,
  'store' | 'mailer' | 'sms' | 'letters' | 'keys' | 'random' | 'policy' | 'checkpoint' | 'recipientPace' | 'report'
>;

/**
 * Sends one waiting message. A mail's Message-ID is fixed by its row, so that a mail sent twice because a process died
 * between sending and noting it can be recognised as one.
 */
export async function sendMessage(
  engines: Needs,
  accountId: string,
  messageId: string,
  leaseSeconds = defaultLeaseSeconds,
): Promise<void> {
  const { outbox } = engines.store;
  const message = await outbox.take(accountId, messageId, leaseSeconds);
  if (!message) return;
  const pointless = pointlessBecause(message);
  if (pointless !== undefined) return outbox.settle(accountId, messageId, 'given_up', pointless);
  const waitSeconds = await paceOf(engines, message);
  if (waitSeconds > 0) {
    const outcome = 'waiting: many messages were sent to this recipient within an hour';
    return outbox.postpone(accountId, message, outcome, scattered(waitSeconds, engines.random));
  }

  const renewal = setInterval(
    () => void outbox.hold(accountId, message, leaseSeconds).catch(() => undefined),
    (leaseSeconds * 1000) / 4,
  );
  try {
    const { state, outcome } = await attempt(engines, message);
    if (state === 'sent') engines.checkpoint('message:sent');
    // Apart from sending: an attempt that succeeded never becomes one to be repeated because noting it failed.
    await patiently(() =>
      state === 'waiting'
        ? outbox.retry(accountId, message, outcome, pauseSeconds(message.attempts, engines.random))
        : outbox.settle(accountId, messageId, state, outcome),
    );
  } finally {
    clearInterval(renewal);
  }
}

/** Somebody is waiting for a code; and codes have a limit of their own. */
async function paceOf({ recipientPace }: Needs, { kind, to }: WaitingMessage): Promise<number> {
  return kind === 'code' ? 0 : recipientPace.take(to);
}

/** Tries to send the message. Returns what becomes of it, and why. */
async function attempt(
  engines: Needs,
  message: WaitingMessage,
): Promise<{ state: 'sent' | 'given_up' | 'waiting'; outcome: string }> {
  const failed = (outcome: string, reason: string, state: 'given_up' | 'waiting') => {
    engines.report(state === 'waiting' ? 'a message was not sent and will be tried again' : 'a message was given up', {
      engine: message.channel === 'sms' ? 'sms' : 'smtp',
      message: message.id,
      kind: message.kind,
      attempt: message.attempts,
      reason,
    });
    return { state, outcome: onOneLine(outcome) };
  };
  try {
    const { outcome, answer } = await deliver(engines, message);
    if (outcome === 'sent') return { state: 'sent', outcome: onOneLine(answer) };
    return failed(answer, codesOf(answer), 'given_up');
  } catch (error) {
    const { message: outcome, name } = error instanceof Error ? error : new Error(String(error));
    const reason = error instanceof SendFailure ? error.reason : name;
    return failed(outcome, reason, message.attempts >= maxAttempts ? 'given_up' : 'waiting');
  }
}

async function deliver(engines: Needs, message: WaitingMessage): Promise<SendOutcome> {
  const { policy, mailer, sms } = engines;
  if (message.channel === 'sms') {
    if (!sms) throw new SendFailure('no SMS gateway is configured', 'no SMS gateway is configured');
    return sms.send({ to: message.to, text: await composeSms(engines, message) });
  }
  return mailer.send({
    messageId: `<${message.id}@${new URL(policy.publicUrl).hostname}>`,
    from: policy.mailFrom,
    to: message.to,
    ...(await composeMail(engines, message)),
  });
}

/** What a server answered, as an administrator can read it and the database can store it. */
function onOneLine(answer: string): string {
  return answer
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, maxOutcomeLength);
}

/** The reply's codes at its start: what follows may quote the message, and does not belong in the log. */
function codesOf(answer: string): string {
  return /^\d{3}(?:[ -]\d\.\d{1,3}\.\d{1,3}\b)?/.exec(answer)?.[0] ?? 'refused';
}

/** Doubling, and scattered, so that what failed together is not tried again together. */
export function pauseSeconds(attempts: number, random: Random): number {
  const pause = Math.min(longestPauseSeconds, shortestPauseSeconds * 2 ** (attempts - 1));
  return Math.round(pause * (0.75 + random.bytes(1).readUInt8() / 510));
}

/** Up to a quarter later, so that what waits for the same moment does not come all at once. */
function scattered(seconds: number, random: Random): number {
  return Math.ceil(seconds * (1 + random.bytes(1).readUInt8() / 1020));
}
