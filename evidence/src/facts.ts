import {
  type EventData,
  type EventKind,
  type EvidenceFile,
  eventData,
  findKeyDay,
  findStory,
  readEventData,
} from './event.ts';
import type { Receipt } from './receipt.ts';

/** A checkpoint that is signed and cosigned as the policy demands. */
export interface LogFact {
  readonly origin: string;
  readonly size: number;
  /** In base64. */
  readonly root: string;
  readonly signatures: readonly { readonly algorithm: 'ed25519' | 'ml-dsa-44'; readonly at?: string }[];
  /** With their names in the policy. */
  readonly witnesses: readonly { readonly name: string; readonly at?: string }[];
}

/** An authority stated that the log contained the first of these events at a time. */
export interface TimeStampFact {
  readonly origin: string;
  /** Of the log when it was stamped. */
  readonly size: number;
  /** How many of the receipt's events in this log it covers. */
  readonly eventCount: number;
  readonly at: string;
  /** Absent if its signature was not verified: then anybody may have written the time. */
  readonly authority?: string;
}

/** An event of some kind: its data and its time. */
export type Fact<K extends EventKind> = EventData<K> & { readonly at: string };

export type Remark =
  /** The event was recorded more than five minutes before an event that precedes it in its story. */
  | { readonly code: 'clock_set_back'; readonly at: string; readonly precedingAt: string }
  /** The event claims a time more than five minutes after its checkpoint was cosigned, or its log was stamped. */
  | { readonly code: 'clock_ahead'; readonly at: string; readonly cosignedAt: string }
  /** A file was handed over that is not among those that were accepted. */
  | { readonly code: 'unlisted_file'; readonly name: string }
  | { readonly code: 'unknown_kind'; readonly kind: string };

export type Unknown =
  /** The person who used the link, or sat at the mailbox. */
  | 'person'
  /** Whether anybody read the files. */
  | 'reading'
  /** Whether something happened after the last event. */
  | 'later_events'
  /** Whether the files were handed over that no event names. */
  | 'handover'
  /** Whether the link was sent to the receiver, as it was to be. */
  | 'notification'
  /** Whether the times are right: no witness states one, and no verified time stamp. */
  | 'time';

/** The story that a valid receipt proves. All times are UTC, as recorded by the server unless they are a witness's. */
export interface Facts {
  readonly drop: string;
  readonly receiver: number;
  readonly submission: Fact<'submission.accepted'>;
  /** After all extensions. */
  readonly expiresAt: string | null;
  /** The last one is in force; earlier ones were corrected. */
  readonly consignments: readonly Fact<'content.consigned'>[];
  readonly sentNotifications: readonly Fact<'notification.sent'>[];
  readonly acceptedNotifications: readonly Fact<'notification.accepted'>[];
  readonly failedNotifications: readonly Fact<'notification.failed'>[];
  /** If any, the sender could have used the link too. */
  readonly shownLinks: readonly Fact<'link.shown'>[];
  readonly revokedLinks: readonly Fact<'link.revoked'>[];
  readonly openedLinks: readonly Fact<'link.opened'>[];
  readonly enteredCodes: readonly Fact<'code.entered'>[];
  readonly enteredPassphrases: readonly Fact<'passphrase.entered'>[];
  /** The files that were accepted, each with the times at which all its bytes were sent to the receiver. */
  readonly files: readonly (EvidenceFile & {
    readonly handovers: readonly { at: string; via: string; to: string }[];
  })[];
  readonly received: readonly Fact<'content.received'>[];
  /** Every end of the drop, and every time that it was undone, in their order. */
  readonly ends: readonly {
    readonly kind: 'expired' | 'revoked' | 'restored';
    readonly at: string;
    readonly by?: string;
  }[];
  /** The end that is in force: none if the drop was restored. */
  readonly end?: { readonly kind: 'expired' | 'revoked'; readonly at: string; readonly by?: string };
  readonly keyDestroyedAt?: string;
  /** All events in the order of the log, with their leaves. */
  readonly events: readonly {
    readonly at: string;
    readonly kind: string;
    readonly story: 'log' | 'drop' | 'receiver';
    readonly number: number;
    readonly origin: string;
    readonly index: number;
  }[];
  readonly unknowns: readonly Unknown[];
  readonly remarks: readonly Remark[];
  readonly logs: readonly LogFact[];
  /** In the order of the log. */
  readonly timeStamps: readonly TimeStampFact[];
}

const clockToleranceMilliseconds = 5 * 60 * 1_000;
const maxRemarks = 20;

/** Collects the facts of a receipt whose proofs and stories have been verified. */
export function toFacts(receipt: Receipt, logs: readonly LogFact[], timeStamps: readonly TimeStampFact[]): Facts {
  const events = receipt.entries.map(({ event }) => event);
  const list = <K extends EventKind>(kind: K): Fact<K>[] =>
    events.flatMap((event) => {
      const data = readEventData(event, kind);
      return data ? [{ ...data, at: event.at }] : [];
    });
  const [submission] = list('submission.accepted');
  if (!submission) throw new TypeError('the stories of the receipt have not been verified');
  const consignments = list('content.consigned');
  const sentNotifications = list('notification.sent');
  const { files, unlistedFiles } = matchHandovers(receipt, submission.files);
  const remarks: Remark[] = [
    ...findClockFaults(receipt, logs, timeStamps),
    ...unlistedFiles.map((name) => ({ code: 'unlisted_file', name }) as const),
    ...events
      .filter(({ kind }) => !Object.hasOwn(eventData, kind))
      .map(({ kind }) => ({ code: 'unknown_kind', kind }) as const),
  ];
  const unknowns: Unknown[] = ['person', 'reading', 'later_events'];
  if (files.some(({ handovers }) => handovers.length === 0)) unknowns.push('handover');
  if (consignments.at(-1)?.notified && sentNotifications.length === 0) unknowns.push('notification');
  const isTimed = logs.some(({ witnesses }) => witnesses.some(({ at }) => at));
  if (!isTimed && !timeStamps.some(({ authority }) => authority !== undefined)) unknowns.push('time');
  return {
    drop: receipt.drop,
    receiver: receipt.receiver,
    submission,
    expiresAt: [submission, ...list('drop.extended')].at(-1)?.expires_at ?? null,
    consignments,
    sentNotifications,
    acceptedNotifications: list('notification.accepted'),
    failedNotifications: list('notification.failed'),
    shownLinks: list('link.shown'),
    revokedLinks: list('link.revoked'),
    openedLinks: list('link.opened'),
    enteredCodes: list('code.entered'),
    enteredPassphrases: list('passphrase.entered'),
    files,
    received: list('content.received'),
    ...findEnd(receipt),
    events: receipt.entries.map(({ event, checkpoint, index }) => ({
      at: event.at,
      kind: event.kind,
      story: findStory(event),
      number: event.number,
      origin: logs[checkpoint]?.origin ?? '',
      index,
    })),
    unknowns,
    remarks: remarks.slice(0, maxRemarks),
    logs,
    timeStamps,
  };
}

/** Assigns each handover to its file, and to the address that the receiver had at the time. */
function matchHandovers({ entries }: Receipt, accepted: readonly EvidenceFile[]) {
  const toKey = ({ name, size, sha256 }: EvidenceFile) => `${sha256} ${size} ${name}`;
  const files = new Map(accepted.map((file) => [toKey(file), [] as { at: string; via: string; to: string }[]]));
  const unlistedFiles: string[] = [];
  let to = '';
  for (const { event } of entries) {
    const consigned = readEventData(event, 'content.consigned');
    if (consigned) to = consigned.shared ? 'somebody with the link' : consigned.address;
    const handover = readEventData(event, 'content.handed_over');
    if (!handover) continue;
    const handovers = files.get(toKey(handover.file));
    if (handovers) handovers.push({ at: event.at, via: handover.via, to });
    else unlistedFiles.push(handover.file.name);
  }
  return { files: accepted.map((file) => ({ ...file, handovers: files.get(toKey(file)) ?? [] })), unlistedFiles };
}

function findEnd({ entries }: Receipt): Pick<Facts, 'ends' | 'end' | 'keyDestroyedAt'> {
  const ends: Facts['ends'][number][] = [];
  let end: Facts['end'];
  let keyDay: string | undefined;
  for (const { event } of entries) {
    const { at, kind } = event;
    if (kind === 'drop.expired') end = { kind: 'expired', at };
    if (kind === 'drop.revoked') end = { kind: 'revoked', at, by: readEventData(event, kind)?.by ?? '' };
    if (kind === 'drop.expired' || kind === 'drop.revoked') ends.push(...(end ? [end] : []));
    if (kind === 'drop.restored') {
      end = undefined;
      ends.push({ kind: 'restored', at, by: readEventData(event, kind)?.by ?? '' });
    }
    keyDay = end ? (findKeyDay(event) ?? keyDay) : undefined;
  }
  const destroyed = entries.find(({ event }) => keyDay && readEventData(event, 'key.destroyed')?.day === keyDay);
  return { ends, ...(end && { end }), ...(destroyed && { keyDestroyedAt: destroyed.event.at }) };
}

/** Finds times that contradict the order of the log, the time of a cosignature, or that of a verified time stamp. */
function findClockFaults(
  { entries }: Receipt,
  logs: readonly LogFact[],
  timeStamps: readonly TimeStampFact[],
): Remark[] {
  const remarks: Remark[] = [];
  const latest = new Map<string, string>();
  for (const { event, checkpoint, index } of entries) {
    const log = logs[checkpoint];
    const stamp = timeStamps.find(
      ({ origin, size, authority }) => authority !== undefined && origin === log?.origin && index < size,
    );
    const story = findStory(event);
    const precedingAt = latest.get(story) ?? event.at;
    if (isLater(precedingAt, event.at)) remarks.push({ code: 'clock_set_back', at: event.at, precedingAt });
    if (event.at >= precedingAt) latest.set(story, event.at);
    for (const { at: cosignedAt } of [...(log?.signatures ?? []), ...(log?.witnesses ?? []), ...(stamp ? [stamp] : [])])
      if (cosignedAt && isLater(event.at, cosignedAt)) remarks.push({ code: 'clock_ahead', at: event.at, cosignedAt });
  }
  return remarks;
}

function isLater(time: string, other: string): boolean {
  return Date.parse(time) - Date.parse(other) > clockToleranceMilliseconds;
}
