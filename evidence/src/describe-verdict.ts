import type { Facts, Remark, Unknown } from './facts.ts';
import type { Verdict } from './verify-receipt.ts';

/** Says a verdict in English, one line for each statement. */
export function describeVerdict(verdict: Verdict): string[] {
  return listStatements(verdict).map(toLine);
}

/** Replaces characters by which a name could pretend to be another line, or run in another direction. */
function toLine(statement: string): string {
  return statement.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu, '\ufffd');
}

function listStatements({ problems, facts }: Verdict): string[] {
  if (!facts) return ['The receipt is NOT valid. It proves nothing.', ...problems.map(({ message }) => message)];
  return [
    'The receipt is valid.',
    ...describeSubmission(facts),
    ...describeDelivery(facts),
    ...describeEnd(facts),
    ...facts.logs.flatMap(describeLog),
    ...facts.remarks.map(describeRemark),
    ...facts.unknowns.map((unknown) => `Not known: ${unknownTexts[unknown]}.`),
  ];
}

function describeSubmission({ submission, files, expiresAt }: Facts): string[] {
  const { reference, type, sender, at } = submission;
  const subject = type === 'drop' ? `the delivery ${reference}` : `the request ${reference} for files`;
  return [
    `${sender.address} handed ${subject} to the server at ${at}${expiresAt ? `, available until ${expiresAt}` : ''}.`,
    ...files.map(
      ({ name, size, sha256, handovers }) =>
        `File ${name}, ${size} bytes, SHA-256 ${sha256}: ${
          handovers.length > 0
            ? handovers.map((handover) => `handed over to ${handover.to} at ${handover.at}`).join(', ')
            : 'no event says that it was handed over'
        }.`,
    ),
  ];
}

function describeDelivery(facts: Facts): string[] {
  const receiver = facts.consignments.at(-1);
  if (!receiver) return [];
  const codes = { none: 'no code', mail: 'a code sent by mail', sms: 'a code sent by SMS' };
  return [
    ...facts.consignments.map(
      ({ at, address, name, code }) =>
        `Available to ${name ? `${name} <${address}>` : address} since ${at}; besides the link, ${codes[code]} was required.`,
    ),
    receiver.notified
      ? 'The server was to send the link to the receiver.'
      : 'The server was not to send the link itself.',
    ...facts.sentNotifications.map(({ at, to, channel }) => `Notification by ${channel} to ${to} sent at ${at}.`),
    ...facts.acceptedNotifications.map(
      ({ at, to, status }) => `The receiving server of ${to} took it at ${at} (${status}).`,
    ),
    ...facts.failedNotifications.map(({ at, to, reason }) => `Notification to ${to} failed at ${at}: ${reason}.`),
    ...facts.openedLinks.map(({ at }) => `A person opened the link at ${at}.`),
    ...facts.enteredCodes.map(({ at, channel }) => `The code sent by ${channel} was entered at ${at}.`),
    ...(receiver.code !== 'none' && facts.enteredCodes.length === 0 ? ['No event says that a code was entered.'] : []),
    ...(facts.shownLinks.length > 0
      ? facts.shownLinks.map(({ at, by }) => `The sender was shown the receiver's link at ${at} (${by}).`)
      : ["No event says that the sender was shown the receiver's link."]),
    ...facts.revokedLinks.map(({ at, by }) => `The receiver's link was revoked at ${at} by ${by}.`),
    ...facts.received.map(
      ({ at, reference, files }) => `The contact sent ${files.length} files at ${at}, as ${reference}.`,
    ),
  ];
}

function describeEnd({ end, keyDestroyedAt }: Facts): string[] {
  if (!end) return ['No event says that the delivery has ended.'];
  return [
    `The delivery ${end.kind === 'expired' ? 'expired' : `was revoked by ${end.by ?? ''}`} at ${end.at}.`,
    keyDestroyedAt
      ? `The key of its files was destroyed at ${keyDestroyedAt}.`
      : 'No event says that the key of its files was destroyed.',
  ];
}

function describeLog({ origin, size, witnesses }: Facts['logs'][number]): string[] {
  return [
    `The log ${origin} signed its first ${size} entries, which contain these events.`,
    ...witnesses.map(({ name, at }) => `Witness ${name} saw the same log${at ? ` at ${at}` : ''}.`),
  ];
}

function describeRemark(remark: Remark): string {
  if (remark.code === 'clock_set_back')
    return `Doubtful: the server's clock was set back. An event of ${remark.at} follows one of ${remark.precedingAt}.`;
  if (remark.code === 'clock_ahead')
    return `Doubtful: an event claims ${remark.at}, but its checkpoint was signed at ${remark.cosignedAt} already.`;
  if (remark.code === 'unlisted_file')
    return `Doubtful: ${remark.name} was handed over, but is not among the files of the delivery.`;
  return `An event of the kind ${remark.kind} is proven, but this version does not know its meaning.`;
}

const unknownTexts: Readonly<Record<Unknown, string>> = {
  person: 'who used the link, and who reads the mailbox',
  reading: 'whether anybody read the files',
  later_events: 'whether something happened after the last event',
  handover: 'whether the files that no event names were handed over',
  notification: 'whether the link was sent to the receiver',
  time: 'whether the times are right, as no witness states one',
};
