import type { PagePosition } from '../batch.ts';
import type { Delivery } from '../links/link-store.ts';

export interface InboxLine extends PagePosition {
  readonly senderAccountId: string;
  readonly dropId: string;
  readonly createdSeconds: number;
  readonly lifetime: number;
  readonly sender: string;
  readonly fileCount: number;
}

/**
 * Available: can be claimed, from a time on. Claimed: someone holds its lease. Parked: was claimed as often as it may
 * be, and must be released before it can be claimed again.
 */
export type QueueState = 'available' | 'claimed' | 'parked' | 'acknowledged';

/** An entry of an inbox, as its queue sees it. */
export interface QueuedEntry extends Pick<InboxLine, 'id' | 'senderAccountId' | 'dropId' | 'sender' | 'fileCount'> {
  /** The name that the sending account, or the contact's entry in the address book, has; null: none. */
  readonly senderName: string | null;
  /** That its sender gave it; null: none. */
  readonly title: string | null;
  readonly message: string;
  /** The request through which a contact sent it; null: another account sent it, or nobody asked for it. */
  readonly requestId: string | null;
  /** The drop or the request whose reference people know it by. */
  readonly referredId: string;
  /** The sender's identifier of the drop, or the account's own of the request. */
  readonly externalId: string | null;
  /** Whether nobody in the account asked for it: it came through the account's public page. */
  readonly isUnsolicited: boolean;
  readonly receivedAt: Date;
  readonly expiresAt: Date;
  readonly state: QueueState;
  /** How many times it was claimed, since it was received or released. */
  readonly attempts: number;
  /** When it can be claimed, its lease ends, or it was parked or acknowledged. */
  readonly dueAt: Date;
  /** Whether no member has opened it yet. */
  readonly isUnread: boolean;
  /** Where it is in the list that it was read from: a time to the microsecond. */
  readonly at: string;
}

/** An entry that was claimed as often as it may be. */
export type ParkedEntry = Pick<
  QueuedEntry,
  'id' | 'sender' | 'fileCount' | 'attempts' | 'requestId' | 'senderAccountId' | 'referredId'
> & { readonly accountId: string };

/** At most one of them. */
export interface QueueFilter {
  readonly state?: QueueState | undefined;
  readonly requestId?: string | undefined;
  readonly externalId?: string | undefined;
  /** The last hexadecimal digits of the id of the drop or request (see reference.ts). */
  readonly idEnd?: string | undefined;
}

export type QueuePosition = Pick<QueuedEntry, 'at' | 'id'>;

/** An entry in the list that people see. */
export interface ListedEntry extends QueuedEntry {
  readonly totalBytes: number;
}

/** The entries that people see in one list: those to deal with, newest first, or those that are done, the last one first. */
export interface InboxFilter {
  readonly part: 'open' | 'done';
  /**
   * One of them is in the sender's name or address, the message, the name of a file, or the last ten digits of the drop's
   * id; empty: all.
   */
  readonly texts: readonly string[];
}

export interface Claim {
  readonly leaseId: string;
  readonly leaseSeconds: number;
  readonly maxEntries: number;
  readonly maxAttempts: number;
}

/** An entry, and the lease under which it is changed. */
export interface LeasedEntry {
  readonly id: string;
  readonly leaseId: string;
}

/**
 * The inbox as a queue. An entry is there until its drop ends. Whether a lease is still held is judged by the
 * database's clock.
 */
export interface InboxStore {
  /**
   * Up to `count` entries, at most 101: newest first, or those in one state, in the order of their `dueAt`.
   */
  page(accountId: string, filter: QueueFilter, after: QueuePosition | undefined, count: number): Promise<QueuedEntry[]>;
  entry(accountId: string, id: string): Promise<QueuedEntry | undefined>;
  /** Leases up to `maxEntries`, at most 100, that no one else holds, in the order in which they became available. */
  claim(accountId: string, claim: Claim): Promise<QueuedEntry[]>;
  /** In how many seconds the first entry can be claimed that is not done; undefined if there is none. */
  secondsUntilDue(accountId: string): Promise<number | undefined>;
  /** The lease ends this long from now. False if it is not held. */
  renew(accountId: string, entry: LeasedEntry, leaseSeconds: number): Promise<boolean>;
  /** False if the lease is not held; true also if the entry was already acknowledged under it. */
  acknowledge(accountId: string, entry: LeasedEntry): Promise<boolean>;
  /** Makes the entry available this long from now, or parks it after its last attempt. False if the lease is not held. */
  giveBack(accountId: string, entry: LeasedEntry, delaySeconds: number): Promise<boolean>;
  /**
   * Marks up to `count` parked entries as reported, and writes one job for each account that mails it how many there
   * are. Returns the entries.
   */
  reportParked(count: number): Promise<ParkedEntry[]>;
  /** How many entries are parked; counts no further than `max`. */
  countParked(accountId: string, max: number): Promise<number>;
  /** Makes a parked entry available, with all its attempts. False if it is not parked. */
  release(accountId: string, id: string): Promise<boolean>;
  /**
   * Up to `count` entries, at most 101, for people: the first ones, or those next to a position, in the order of the
   * list.
   */
  list(
    accountId: string,
    filter: InboxFilter,
    from: { readonly after: QueuePosition } | { readonly before: QueuePosition } | undefined,
    count: number,
  ): Promise<ListedEntry[]>;
  /** How many entries are neither read nor done; counts no further than `max`. */
  countUnread(accountId: string, max: number): Promise<number>;
  /** Records who opened the entry first. */
  markSeen(accountId: string, id: string, personId: string): Promise<void>;
  /** Acknowledges an entry whoever holds its lease. False if it already is. */
  finish(accountId: string, id: string): Promise<boolean>;
  /** Makes an acknowledged entry available, with all its attempts. False if it is not acknowledged. */
  reopen(accountId: string, id: string): Promise<boolean>;
  /** Records which bytes of files from a contact were sent to the account. */
  recordDownloads(accountId: string, downloads: readonly Delivery[]): Promise<void>;
  /** The files of an entry that were sent to the account in full. */
  downloadedFiles(accountId: string, id: string): Promise<ReadonlySet<string>>;
}
