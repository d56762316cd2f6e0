import type { EvidenceFile } from './event.ts';
import type { Facts, Remark } from './facts.ts';
import type { Verdict } from './verify-receipt.ts';

/** Sentences with the values of a statement in braces. */
const sentences = {
  delivery_accepted: '{sender} handed the delivery {reference} to the server at {at}.',
  request_accepted: '{sender} handed the request {reference} for files to the server at {at}.',
  deadline: 'Its deadline is {at}.',
  file_handed_over: 'File {name}, {size} bytes, SHA-256 {sha256}: handed over to {to} at {at}.',
  file_handed_over_again: 'File {name} was handed over again to {to} at {at}.',
  file_accepted: 'File {name}, {size} bytes, SHA-256 {sha256}.',
  files_not_handed_over: 'No event says that {count} of its {total} files were handed over.',
  consigned_none: 'Available to {receiver} since {at}; besides the link, no code was required.',
  consigned_mail: 'Available to {receiver} since {at}; besides the link, a code sent by mail was required.',
  consigned_sms: 'Available to {receiver} since {at}; besides the link, a code sent by SMS was required.',
  passphrase_required: 'A passphrase was required, too.',
  consigned_named:
    'One link for all receivers since {at}; it leads to the page of whoever enters the code that was sent to their address.',
  consigned_anybody: 'Available to anybody with the link since {at}: the receipt names no person.',
  link_to_be_sent: 'The server was to send the link to the receiver.',
  link_not_to_be_sent: 'The server was not to send the link itself.',
  notified: 'Notification by {channel} to {to} sent at {at}.',
  notification_accepted: 'The receiving server of {to} took it at {at} ({status}).',
  notification_failed: 'Notification to {to} failed at {at}: {reason}.',
  link_opened: 'A person opened the link at {at}.',
  code_entered: 'The code sent by {channel} was entered at {at}.',
  passphrase_entered: 'The passphrase was entered at {at}.',
  code_not_entered: 'No event says that a code was entered.',
  link_shown: "The sender was shown the receiver's link at {at} ({by}).",
  link_not_shown: "No event says that the sender was shown the receiver's link.",
  link_revoked: "The receiver's link was revoked at {at} by {by}.",
  received: 'The contact sent {count} files at {at}, as {reference}.',
  file_received: 'File {name}, {size} bytes, SHA-256 {sha256}: received from the contact at {at}.',
  nothing_received: 'No event says that the contact sent files.',
  delivery_not_ended: 'No event says that the delivery has ended.',
  delivery_expired: 'The delivery expired at {at}.',
  delivery_revoked: 'The delivery was revoked by {by} at {at}.',
  delivery_restored: '{by} undid the revocation of the delivery at {at}.',
  request_not_ended: 'No event says that the request has ended.',
  request_expired: 'The request expired at {at}.',
  request_revoked: 'The request was closed by {by} at {at}.',
  request_restored: '{by} reopened the request at {at}.',
  key_destroyed: 'The key of its files was destroyed at {at}.',
  key_not_destroyed: 'No event says that the key of its files was destroyed.',
  log_signed: 'The log {origin} signed its first {size} entries, which contain these events.',
  witnessed: 'Witness {name} saw the same log at {at}.',
  time_stamped:
    'The log {origin} had the first {stamped} of these {total} events before {at}, according to {authority}.',
  time_stamp_unchecked:
    'Not checked: a time stamp says that the log {origin} had the first {stamped} of these {total} events before {at}. To check it, name the certificate of its authority: waybill verify --timestamp-ca FILE',
  clock_set_back: "Doubtful: the server's clock was set back. An event of {at} follows one of {precedingAt}.",
  clock_ahead: 'Doubtful: an event claims {at}, but its checkpoint was signed at {cosignedAt} already.',
  unlisted_file: 'Doubtful: {name} was handed over, but is not among the files of the delivery.',
  unknown_kind: 'An event of the kind {kind} is proven, but this version does not know its meaning.',
  unknown_person: 'Not known: who used the link, and who reads the mailbox.',
  unknown_reading: 'Not known: whether anybody read the files.',
  unknown_later_events: 'Not known: whether something happened after the last event.',
  unknown_notification: 'Not known: whether the link was sent to the receiver.',
  unknown_time: 'Not known: whether the times are right, as no witness states one.',
} as const;

export type StatementCode = keyof typeof sentences;

/** One statement of a verdict, to be said in any language. */
export interface Statement {
  readonly code: StatementCode;
  /** Whether an event proves it, no event says it, something contradicts it, or a receipt can never say it. */
  readonly mark: 'proven' | 'absent' | 'doubtful' | 'unknown';
  /** Texts of others are not cleaned: see `toLine`. */
  readonly values: Readonly<Record<string, string | number>>;
  /** Times of UTC, as `Date.toISOString` writes them. */
  readonly times: Readonly<Record<string, string>>;
}

/** Says a verdict in English, one line for each statement. */
export function describeVerdict({ problems, facts }: Verdict): string[] {
  if (facts) return ['The receipt is valid.', ...listStatements(facts).map(say)].map(toLine);
  const title = problems.some(({ code }) => code === 'no_receipt')
    ? 'The file is not a receipt of Waybill. There is nothing to verify.'
    : 'The receipt is NOT valid. It proves nothing.';
  return [title, ...problems.map(({ message }) => message)].map(toLine);
}

/** Replaces characters by which a name could pretend to be another line, or run in another direction. */
function toLine(statement: string): string {
  return statement.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu, '\ufffd');
}

function say({ code, values, times }: Statement): string {
  const all: Record<string, string | number> = { ...values, ...times };
  return sentences[code].replaceAll(/\{(\w+)\}/g, (_, name: string) => String(all[name]));
}

/** Lists what the facts of a valid receipt say, and what they do not say. */
export function listStatements(facts: Facts): Statement[] {
  return [
    ...describeSubmission(facts),
    ...describeDelivery(facts),
    ...describeEnd(facts),
    ...facts.logs.flatMap(describeLog),
    ...facts.timeStamps.map((stamp) => describeTimeStamp(stamp, facts)),
    ...facts.remarks.map(describeRemark),
    // Which files were not handed over is said with the files.
    ...facts.unknowns.flatMap((unknown) => (unknown === 'handover' ? [] : [state('unknown', `unknown_${unknown}`)])),
  ];
}

function state(
  mark: Statement['mark'],
  code: StatementCode,
  values: Statement['values'] = {},
  times: Statement['times'] = {},
): Statement {
  return { code, mark, values, times };
}

const prove = (code: StatementCode, values: Statement['values'], at: string) => state('proven', code, values, { at });

function describeSubmission({ submission, files, expiresAt }: Facts): Statement[] {
  const { reference, type, sender, at } = submission;
  const left = files.filter(({ handovers }) => handovers.length === 0).length;
  return [
    prove(type === 'drop' ? 'delivery_accepted' : 'request_accepted', { sender: sender.address, reference }, at),
    ...(expiresAt ? [prove('deadline', {}, expiresAt)] : []),
    ...files.flatMap(({ handovers, ...file }) => {
      const [first, ...others] = handovers;
      if (!first) return [state('proven', 'file_accepted', toValues(file))];
      return [
        prove('file_handed_over', { ...toValues(file), to: first.to }, first.at),
        ...others.map((other) => prove('file_handed_over_again', { name: file.name, to: other.to }, other.at)),
      ];
    }),
    ...(left > 0 ? [state('absent', 'files_not_handed_over', { count: left, total: files.length })] : []),
  ];
}

const toValues = ({ name, size, sha256 }: EvidenceFile) => ({ name, size, sha256 });

function describeDelivery(facts: Facts): Statement[] {
  const receiver = facts.consignments.at(-1);
  if (!receiver) return [];
  return [
    ...facts.consignments.map(({ at, address, name, code, shared }) =>
      prove(`consigned_${shared ?? code}`, { receiver: name ? `${name} <${address}>` : address }, at),
    ),
    ...(receiver.passphrase ? [state('proven', 'passphrase_required')] : []),
    state('proven', receiver.notified ? 'link_to_be_sent' : 'link_not_to_be_sent'),
    ...facts.sentNotifications.map(({ at, to, channel }) => prove('notified', { to, channel }, at)),
    ...facts.acceptedNotifications.map(({ at, to, status }) => prove('notification_accepted', { to, status }, at)),
    ...facts.failedNotifications.map(({ at, to, reason }) => prove('notification_failed', { to, reason }, at)),
    ...facts.openedLinks.map(({ at }) => prove('link_opened', {}, at)),
    ...facts.enteredPassphrases.map(({ at }) => prove('passphrase_entered', {}, at)),
    ...facts.enteredCodes.map(({ at, channel }) => prove('code_entered', { channel }, at)),
    ...(receiver.code !== 'none' && facts.enteredCodes.length === 0 ? [state('absent', 'code_not_entered')] : []),
    ...(facts.shownLinks.length > 0
      ? facts.shownLinks.map(({ at, by }) => prove('link_shown', { by }, at))
      : [state('absent', 'link_not_shown')]),
    ...facts.revokedLinks.map(({ at, by }) => prove('link_revoked', { by }, at)),
    ...facts.received.flatMap(({ at, reference, files }) => [
      prove('received', { count: files.length, reference }, at),
      ...files.map((file) => prove('file_received', toValues(file), at)),
    ]),
    ...(facts.submission.type === 'request' && facts.received.length === 0
      ? [state('absent', 'nothing_received')]
      : []),
  ];
}

function describeEnd({ submission, ends, end, keyDestroyedAt }: Facts): Statement[] {
  const subject = submission.type === 'drop' ? 'delivery' : 'request';
  if (ends.length === 0) return [state('absent', `${subject}_not_ended`)];
  const told = ends.map(({ kind, at, by = '' }) => prove(`${subject}_${kind}`, { by }, at));
  if (!end) return told;
  return [...told, keyDestroyedAt ? prove('key_destroyed', {}, keyDestroyedAt) : state('absent', 'key_not_destroyed')];
}

function describeLog({ origin, size, witnesses }: Facts['logs'][number]): Statement[] {
  return [
    state('proven', 'log_signed', { origin, size }),
    ...witnesses.flatMap(({ name, at }) => (at ? [prove('witnessed', { name }, at)] : [])),
  ];
}

function describeTimeStamp(
  { origin, eventCount: stamped, at, authority }: Facts['timeStamps'][number],
  { events }: Facts,
): Statement {
  const total = events.filter((event) => event.origin === origin).length;
  return authority === undefined
    ? state('unknown', 'time_stamp_unchecked', { origin, stamped, total }, { at })
    : prove('time_stamped', { origin, stamped, total, authority }, at);
}

function describeRemark(remark: Remark): Statement {
  if (remark.code === 'clock_set_back')
    return state('doubtful', remark.code, {}, { at: remark.at, precedingAt: remark.precedingAt });
  if (remark.code === 'clock_ahead')
    return state('doubtful', remark.code, {}, { at: remark.at, cosignedAt: remark.cosignedAt });
  if (remark.code === 'unlisted_file') return state('doubtful', remark.code, { name: remark.name });
  return state('proven', remark.code, { kind: remark.kind });
}
