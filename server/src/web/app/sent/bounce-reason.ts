/** The reason that is recorded when a receiver has stopped mails from the account. */
const stopped = 'the receiver wants no more mail from this account';
/** The reason that senders get while the mail server is away, or refuses Waybill itself. */
const cannotSend = 'mails cannot be sent at the moment';

const reasons = [
  // RFC 3463: the second number is the subject, the third the detail.
  [
    /\b[45]\.1\.(?:1|6|10)\b|user unknown|unknown user|no such user|mailbox (?:unavailable|not found)/i,
    'delivery.bounce.noMailbox',
    'delivery.bounce.noMailboxAdvice',
  ],
  [
    /\b[45]\.1\.2\b|\b[45]\.4\.[34]\b|(?:domain|host) (?:name )?not found|no mx|nxdomain|enotfound/i,
    'delivery.bounce.noDomain',
    'delivery.bounce.noDomainAdvice',
  ],
  [
    /\b[45]\.2\.2\b|mailbox (?:is )?full|over ?quota|quota exceeded/i,
    'delivery.bounce.full',
    'delivery.bounce.fullAdvice',
  ],
  [
    /\b[45]\.2\.1\b|(?:mailbox|account) (?:is )?(?:disabled|inactive)/i,
    'delivery.bounce.inactive',
    'delivery.bounce.inactiveAdvice',
  ],
  [/\b[45]\.(?:2\.3|3\.4)\b|too (?:large|big)/i, 'delivery.bounce.tooLarge', 'delivery.bounce.tooLargeAdvice'],
  [
    /\b[45]\.7\.\d+\b|spam|blocked|blacklist|blocklist|policy|denied/i,
    'delivery.bounce.refused',
    'delivery.bounce.refusedAdvice',
  ],
  [
    /\b4\.\d\.\d+\b|^4\d\d\b|timed? ?out|timeout|refused to connect|econn/i,
    'delivery.bounce.unreachable',
    'delivery.bounce.unreachableAdvice',
  ],
] as const;
const other = [undefined, 'delivery.bounce.other', 'delivery.bounce.otherAdvice'] as const;

/** The reason in words, and the sender's next step. */
export interface BounceReason {
  readonly text: string;
  readonly advice: string;
  /** Whether the receiver decided it, so that another attempt would not help. */
  readonly isStopped: boolean;
}

/** Whether a mail server said it about this mail: no other reason is shown in its own words. */
export const isReply = (reason: string | null): reason is string =>
  reason !== null && reason !== cannotSend && !reason.toLowerCase().includes(stopped);

/** Puts the reply of a mail server into words; the first that fits, because servers often name several reasons. */
export function explainBounce(reply: string | null): BounceReason {
  if (reply?.toLowerCase().includes(stopped)) {
    return { text: 'delivery.bounce.stopped', advice: 'delivery.bounce.stoppedAdvice', isStopped: true };
  }
  const [, text, advice] = reasons.find(([pattern]) => pattern.test(reply ?? '')) ?? other;
  return { text, advice, isStopped: false };
}
