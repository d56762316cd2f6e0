import { sha256 } from '@noble/hashes/sha2.js';
import { concatBytes, encodeText } from './bytes.ts';
import { toCanonicalJson } from './canonical-json.ts';
import {
  type Check,
  type Checked,
  exact,
  isBoolean,
  isNatural,
  list,
  matching,
  nullable,
  oneOf,
  open,
  optional,
  text,
} from './shape.ts';

export const isUuid = matching(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);
const isHexHash = matching(/^[0-9a-f]{64}$/);
const isDay = matching(/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/);

/** A time of UTC with milliseconds, as `Date.toISOString` writes it. Other languages begin with the year 1. */
export const isTime: Check<string> = (value): value is string =>
  typeof value === 'string' &&
  /^(?!0000)[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z$/.test(value) &&
  !Number.isNaN(Date.parse(value)) &&
  new Date(value).toISOString() === value;

const isFile = open({ name: text(), size: isNatural, sha256: isHexHash });

export type EvidenceFile = Checked<typeof isFile>;

/** The data of each kind of event. Events of a drop concern all its receivers; the others one receiver, or the log itself. */
export const eventData = {
  'submission.accepted': open({
    reference: text(100),
    type: oneOf('drop', 'request'),
    sender: open({ address: text(), by: text(100) }),
    files: list(isFile, 0, 100_000),
    /** How many there are. */
    receivers: isNatural,
    expires_at: nullable(isTime),
    message_sha256: nullable(isHexHash),
  }),
  'drop.extended': open({ expires_at: nullable(isTime) }),
  /** `key_day` names the key whose destruction makes the files unreadable. */
  'drop.expired': open({ key_day: nullable(isDay) }),
  'drop.revoked': open({ by: text(), key_day: nullable(isDay) }),
  'drop.restored': open({ by: text() }),

  'content.consigned': open({
    /** Empty for a shared link, which is nobody's. */
    address: text(),
    name: optional(text()),
    /** A link for all receivers, who each enter a code, or for anybody who has it: never for a person. */
    shared: optional(oneOf('named', 'anybody')),
    /** The code that the receiver has to enter besides having the link. */
    code: oneOf('none', 'mail', 'sms'),
    /** Whether the receiver has to enter a passphrase, too. */
    passphrase: optional(isBoolean),
    /** Whether the server was to send the link to the receiver. */
    notified: isBoolean,
  }),
  /** Taken by the server that sends our mail or SMS. */
  'notification.sent': open({ channel: text(100), to: text(), purpose: text(100), response: optional(text()) }),
  /** Taken by the receiver's mail server, as it reported. */
  'notification.accepted': open({ to: text(), server: optional(text()), status: text() }),
  'notification.failed': open({ to: text(), status: optional(text()), reason: text() }),
  /** The sender was shown the receiver's link. */
  'link.shown': open({ by: text() }),
  /** The link was revoked for this receiver alone. */
  'link.revoked': open({ by: text() }),
  /** A person's click; programs that follow links do not count. */
  'link.opened': open({}),
  /** A visit of a shared link was sent a file in full: how many were by then. */
  'link.downloaded': open({ downloads: isNatural }),
  'code.entered': open({ channel: text(100) }),
  'passphrase.entered': open({}),
  /** Every byte of this file was sent. */
  'content.handed_over': open({ file: isFile, via: text(100) }),
  'content.received': open({ reference: text(100), files: list(isFile, 0, 100_000) }),

  'log.started': open({
    origin: text(),
    previous: nullable(open({ origin: text(), size: isNatural, root: text(100) })),
    reason: text(),
  }),
  'log.key_added': open({ key: text() }),
  'log.key_retired': open({ key: text() }),
  /** The key of all files that ended on this day. */
  'key.destroyed': open({ day: isDay }),
} as const satisfies Record<string, Check<unknown>>;

export type EventKind = keyof typeof eventData;
export type EventData<K extends EventKind = EventKind> = Checked<(typeof eventData)[K]>;

const isObject = open({});

export const isEvent = exact({
  at: isTime,
  data: isObject,
  drop: optional(isUuid),
  id: isUuid,
  /** One of `EventKind`, or one of a later version. */
  kind: text(100),
  /** The place in its story: the events of the same drop and receiver, counted from 0 without gaps. */
  number: isNatural,
  /** The receiver's position among the drop's, from 0. */
  receiver: optional(isNatural),
});

export type EvidenceEvent = Checked<typeof isEvent>;

/** Returns the data of an event if it is of this kind and complete. */
export function readEventData<K extends EventKind>(event: EvidenceEvent, kind: K): EventData<K> | undefined {
  const check = eventData[kind] as Check<EventData<K>>;
  return event.kind === kind && check(event.data) ? event.data : undefined;
}

/** Tells whether the data of an event is complete; that of an unknown kind always is. */
export function isEventComplete(event: EvidenceEvent): boolean {
  const kind = event.kind as EventKind;
  return !Object.hasOwn(eventData, kind) || eventData[kind](event.data);
}

/** Tells whether an event says that nothing of it was meant: a test account made it. No kind of event has another use for this member. */
export function isOfTest({ data }: EvidenceEvent): boolean {
  return Object.hasOwn(data, 'test');
}

/** Names the story of an event: the log's, a drop's, or that of one receiver of a drop. */
export function findStory(event: EvidenceEvent): 'log' | 'drop' | 'receiver' {
  if (event.receiver !== undefined) return 'receiver';
  return event.drop === undefined ? 'log' : 'drop';
}

/** Returns the day of the key whose destruction ends a drop for good, from the event that ended it. */
export function findKeyDay(event: EvidenceEvent): string | undefined {
  const end = readEventData(event, 'drop.expired') ?? readEventData(event, 'drop.revoked');
  return end?.key_day ?? undefined;
}

/**
 * Returns the entry of the log for an event. It says nothing about the event to those who do not know the salt: erase the salt
 * and the event, and the log no longer knows the person.
 */
export function toCommitment(event: EvidenceEvent, salt: Uint8Array): Uint8Array {
  if (salt.length !== 32) throw new RangeError('a salt has 32 bytes');
  return sha256(concatBytes(salt, encodeText(toCanonicalJson(event))));
}
