import type { EventData, EvidenceFile } from '@waybill/evidence';
import type { StoryEvent } from './story-event.ts';

/** A file, and when all of it was sent to the receiver, or received from the contact. */
export interface ToldFile extends EvidenceFile {
  readonly at: string | undefined;
}

/** The facts that the first page of a receipt shows. */
export interface Story {
  readonly submission: EventData<'submission.accepted'> & { readonly at: string };
  /** The latest one: an address may have been corrected. */
  readonly consignment: EventData<'content.consigned'>;
  readonly files: readonly ToldFile[];
  readonly expiresAt: string | null;
  readonly notifiedAt?: string | undefined;
  readonly failedAt?: string | undefined;
  readonly openedAt?: string | undefined;
  readonly ended?: { readonly kind: 'drop.expired' | 'drop.revoked'; readonly at: string } | undefined;
  readonly wasLinkShown: boolean;
  /** Whether a test account made it: then it is no evidence. */
  readonly isTest: boolean;
  readonly lastAt: string;
}

export function readStory(events: readonly StoryEvent[]): Story {
  const submission = events.find((event) => event.kind === 'submission.accepted');
  const consignment = events.findLast((event) => event.kind === 'content.consigned');
  if (!submission || !consignment) throw new Error('a story lacks its first events');
  const findTime = (...kinds: readonly StoryEvent['kind'][]) => events.find(({ kind }) => kinds.includes(kind))?.at;
  const end = events.findLast(({ kind }) => /^drop\.(?:expired|revoked|restored)$/.test(kind));
  const extension = events.findLast((event) => event.kind === 'drop.extended');
  const lastNotice = events.findLast(({ kind }) => kind.startsWith('notification.'));
  return {
    submission: { ...submission.data, at: submission.at },
    consignment: consignment.data,
    files: submission.data.type === 'request' ? listReceived(events) : listHandedOver(submission.data.files, events),
    expiresAt: extension ? extension.data.expires_at : submission.data.expires_at,
    notifiedAt: findTime('notification.sent', 'notification.accepted'),
    failedAt: lastNotice?.kind === 'notification.failed' ? lastNotice.at : undefined,
    openedAt: findTime('link.opened'),
    ended: end?.kind === 'drop.expired' || end?.kind === 'drop.revoked' ? { kind: end.kind, at: end.at } : undefined,
    isTest: events.some(({ data }) => Object.hasOwn(data, 'test')),
    wasLinkShown: events.some(({ kind }) => kind === 'link.shown'),
    lastAt: events.reduce((latest, { at }) => (at > latest ? at : latest), submission.at),
  };
}

/** A file may have been sent several times: the first time counts. */
function listHandedOver(files: readonly EvidenceFile[], events: readonly StoryEvent[]): ToldFile[] {
  const times = new Map<string, string>();
  for (const event of events) {
    if (event.kind !== 'content.handed_over') continue;
    const key = toKey(event.data.file);
    if (!times.has(key)) times.set(key, event.at);
  }
  return files.map((file) => ({ ...file, at: times.get(toKey(file)) }));
}

function listReceived(events: readonly StoryEvent[]): ToldFile[] {
  return events.flatMap((event) =>
    event.kind === 'content.received' ? event.data.files.map((file) => ({ ...file, at: event.at })) : [],
  );
}

const toKey = ({ name, sha256 }: EvidenceFile) => `${sha256} ${name}`;
