import type { AuditEntry } from '../../../domain/audit/audit-store.ts';
import type { FollowedReceiver, SentDrop } from '../../../domain/drops/sent-drop-store.ts';
import type { Arrival } from '../../../domain/requests/request-store.ts';
import type { ViewTranslator } from '../../../present/texts/translator-context.ts';
import { namePerson } from '../components/person.tsx';
import { describeEntry, type HistoryEntry } from './sent-history.tsx';

/** Changes of the whole, by their actions in the audit. */
const wholeKinds: Readonly<Record<string, HistoryEntry['kind']>> = {
  'drop.created': 'sent',
  'request.created': 'sent',
  'drop.downloaded': 'ownDownload',
  'drop.extended': 'extended',
  'drop.revoked': 'revoked',
  'drop.restored': 'restored',
  'link.created': 'sharedLink',
};
/** Changes that concern one receiver, or several. */
const receiverKinds: Readonly<Record<string, readonly [one: HistoryEntry['kind'], some: HistoryEntry['kind']]>> = {
  'drop.reminded': ['reminded', 'remindedSome'],
  'drop.resent': ['resent', 'resentSome'],
  'drop.receiver_added': ['receiverAdded', 'receiverAdded'],
  'link.revoked': ['receiverRevoked', 'receiverRevoked'],
  'link.shown': ['linkShown', 'linksShown'],
};

/**
 * Acts of the sender, from the audit, and of the receivers, from their links; newest first. Receivers who were asked
 * for files are done whenever their files arrive.
 */
export function toHistory(
  drop: Pick<SentDrop, 'state' | 'createdAt' | 'expiresAt'>,
  account: string,
  changes: readonly AuditEntry[],
  receivers: readonly FollowedReceiver[],
  arrivals: readonly Arrival[] | undefined,
): HistoryEntry[] {
  const byPosition = new Map(receivers.map((receiver) => [receiver.position, receiver]));
  const entries = [
    ...changes.flatMap((change) => toChange(change, byPosition)),
    ...receivers.flatMap((receiver) => toSteps(arrivals ? { ...receiver, completedAt: null } : receiver)),
    ...(arrivals ?? []).map(
      ({ receivedAt: at, sender }) => ({ at, kind: 'received', name: namePerson(sender) }) as const,
    ),
    ...(drop.state === 'expired' ? [{ at: drop.expiresAt, kind: 'expired' } as const] : []),
  ];
  // The audit may have been purged before the drop.
  if (!entries.some(({ kind }) => kind === 'sent')) entries.push({ at: drop.createdAt, kind: 'sent', by: account });
  return entries.toSorted((one, other) => other.at.getTime() - one.at.getTime());
}

function toChange(
  { at, action, author, personName, details }: AuditEntry,
  byPosition: ReadonlyMap<number, FollowedReceiver>,
): HistoryEntry[] {
  const by = namePerson({ name: personName, email: author.name });
  // Anyone can choose a name.
  const made = { at, by, detail: by === author.name ? undefined : author.name };
  const nameOne = (position: unknown, kind: HistoryEntry['kind']): HistoryEntry[] => {
    const receiver = typeof position === 'number' ? byPosition.get(position) : undefined;
    return receiver ? [{ ...made, kind, name: namePerson(receiver) }] : [];
  };
  const whole = wholeKinds[action];
  if (whole) return [{ ...made, kind: whole }];
  if (action === 'drop.receiver_corrected') {
    const { position: added, replacedPosition: revoked } = details;
    return [...nameOne(added, 'receiverAdded'), ...nameOne(revoked, 'receiverRevoked')];
  }
  const kinds = receiverKinds[action];
  if (!kinds) return [];
  const [one, some] = kinds;
  const { position, receivers: count } = details;
  const named = nameOne(position, one);
  if (named.length > 0) return named;
  return typeof count === 'number' ? [{ ...made, kind: some, count }] : [];
}

function toSteps(receiver: FollowedReceiver): HistoryEntry[] {
  const name = namePerson(receiver);
  const { notifiedAt, undeliverableAt, undeliverableReason, openedAt, completedAt } = receiver;
  return [
    ...(notifiedAt ? [{ at: notifiedAt, kind: 'delivered', name } as const] : []),
    ...(undeliverableAt
      ? [{ at: undeliverableAt, kind: 'undeliverable', name, detail: undeliverableReason ?? undefined } as const]
      : []),
    ...(openedAt ? [{ at: openedAt, kind: 'opened', name } as const] : []),
    ...(completedAt ? [{ at: completedAt, kind: 'completed', name } as const] : []),
  ];
}

/** The history as a table, with the names of its columns first. */
export function* toHistoryRows(translator: ViewTranslator, entries: readonly HistoryEntry[]): Generator<string[]> {
  yield ['at', 'kind', 'text', 'receiver', 'by', 'detail'];
  for (const entry of entries) {
    const { at, kind, name = '', by = '', detail = '' } = entry;
    yield [at.toISOString(), kind, describeEntry(translator, entry), name, by, detail];
  }
}
