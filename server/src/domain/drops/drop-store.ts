import type { DropType } from '@waybill/protocol';
import type { Author } from '../audit/audit-store.ts';
import type { Batch, BatchPosition, BatchSize, PagePosition } from '../batch.ts';
import type { Receiver } from '../contacts/contact-store.ts';
import type { TypedDrop } from '../events/drop-events.ts';
import type { FileLine, ListedFile } from '../files/file-store.ts';
import type { WantedFile } from '../files/wanted-files.ts';
import type { InboxLine } from '../inbox/inbox-store.ts';
import type { DayWrapped } from '../keys/key-store.ts';
import type { Link } from '../links/link-store.ts';
import type { SenderChoices, SentId } from './sent-drop-store.ts';

export interface NewDrop {
  readonly id: string;
  readonly type: DropType | 'receivedfiles';
  readonly message: string;
  readonly lifetime: number;
  readonly lifetimeSeconds: number;
  readonly receiverCount: number;
  readonly fileCount: number;
  /** None if there are no links. */
  readonly linkKey: DayWrapped | null;
  /** How long before the deadline receivers are reminded; null: not at all. */
  readonly reminderSeconds: number | null;
  /** The link of the request through which a contact sent it. */
  readonly from: { readonly dropId: string; readonly position: number } | null;
  readonly choices?: SenderChoices & { readonly reusable?: boolean; readonly wanted?: readonly WantedFile[] };
  /** The hash of the passphrase that receivers have to enter; undefined: none. */
  readonly passphraseHash?: string | undefined;
  /** The person or the API key that sent it; undefined if a contact did. */
  readonly author?: Pick<Author, 'kind' | 'id'>;
  /** Whether nobody in the account asked for the files: a visitor of its public page did. */
  readonly isUnsolicited?: boolean;
}

export interface NewLink {
  readonly position: number;
  readonly receiver: Receiver;
  readonly tokenDigest: Buffer;
}

export interface EndedDrop extends TypedDrop {
  /** The day whose key wraps its keys, as `YYYY-MM-DD`; null if it has none. */
  readonly keyDay: string | null;
}

export type DropState = 'live' | 'expired' | 'revoked';

export interface DropLine extends PagePosition {
  readonly type: DropType;
  readonly state: DropState;
  readonly createdSeconds: number;
  readonly expiresAt: Date;
  readonly lifetime: number;
  readonly message: string;
  readonly receiverCount: number;
  readonly fileCount: number;
}

export interface DropDeadline {
  readonly type: NewDrop['type'];
  readonly state: DropState;
  readonly expiresAt: Date;
  /** By the database's clock, which decides when a deadline has passed. */
  readonly now: Date;
  readonly notify: boolean;
  readonly version: string;
}

/** A set of files that a contact sent. */
export interface Sending {
  readonly sentAt: Date;
  readonly fileCount: number;
  readonly totalBytes: number;
  /** The first few. */
  readonly files: readonly (ListedFile & { readonly sha256: string })[];
}

export interface FoundDrop extends Pick<DropLine, 'id' | 'state' | 'createdSeconds'> {
  /** Includes what contacts sent to the account. */
  readonly type: DropType | 'receivedfiles';
  readonly account: string;
}

export interface DropStore {
  /** Writes a drop with its links, in one statement. Returns when it expires. */
  insert(accountId: string, drop: NewDrop, links: readonly NewLink[]): Promise<Date>;
  insertLinks(accountId: string, dropId: string, links: readonly NewLink[]): Promise<void>;
  /** Puts the drop into the inboxes of these accounts. */
  insertInboxEntries(
    senderAccountId: string,
    dropId: string,
    entries: readonly { readonly accountId: string; readonly id: string }[],
  ): Promise<void>;
  /** Newest first, after `after`. */
  page(accountId: string, after: PagePosition | undefined, count: number): Promise<DropLine[]>;
  /**
   * Up to `count` drops of all accounts whose ids end with these hexadecimal digits (see reference.ts). For
   * administrators.
   */
  byIdEnd(end: string, count: number): Promise<FoundDrop[]>;
  receivers(accountId: string, dropIds: readonly string[]): Promise<Map<string, Receiver[]>>;
  files(accountId: string, dropIds: readonly string[]): Promise<Map<string, FileLine[]>>;
  countLive(accountId: string): Promise<number>;
  inboxPage(accountId: string, after: PagePosition | undefined, count: number): Promise<InboxLine[]>;
  /** An entry of this account's inbox whose drop has not ended. */
  inboxEntry(accountId: string, entryId: string): Promise<InboxLine | undefined>;
  /** The sets of files that a contact sent through a request's link, newest first, with the first few files of each. */
  sentThrough(
    link: Pick<Link, 'accountId' | 'dropId' | 'position'>,
    max: { readonly sendings: number; readonly files: number },
  ): Promise<Sending[]>;
  /** Ends up to `count` drops that are past their deadline: their link keys are destroyed. */
  endExpired(count: number): Promise<EndedDrop[]>;
  /** Ends a drop before its deadline. Undefined when the account has no such drop, or it has already ended. */
  revoke(accountId: string, dropId: string): Promise<EndedDrop | undefined>;
  /** Ends it as `revoke` does, but keeps its keys and files for this long, so that it can be restored. */
  revokeForNow(accountId: string, dropId: string, undoSeconds: number): Promise<EndedDrop | undefined>;
  /** Undoes a revocation. False when there is none, or it is too late. */
  restore(accountId: string, sent: SentId): Promise<boolean>;
  /** Locks a drop against anything that would end or extend it; undefined when the account has no drop with this id. */
  lockDeadline(accountId: string, dropId: string): Promise<DropDeadline | undefined>;
  /** Moves the deadline, the reminder before it, and the time after it at which open browsers are deleted. */
  moveDeadline(accountId: string, dropId: string, until: Date, reminderSeconds: number | null): Promise<void>;
  /**
   * For ended drops, or one of them: destroys the keys of their files, which become deletions, removes them from
   * inboxes, and marks the contact drafts of their links to be removed. Returns how many rows were changed.
   */
  empty(batch: BatchSize, only?: { accountId: string; dropId: string }): Promise<Batch>;
  /**
   * Removes every trace of drops that ended this long ago: links, files, messages, deliveries and browsers. A drop
   * stays while objects of its files are still to be deleted, a message of it is waiting, contacts sent files through
   * its links, or it is under a legal hold.
   */
  purge(olderThanSeconds: number, batch: BatchSize, after?: BatchPosition): Promise<Batch>;
  /**
   * Removes what receivers did with drops that ended this long ago: when each opened its link and entered a code, and
   * what was sent to them. A drop under a legal hold is left as it is. Returns how many drops are done.
   */
  purgeActivity(olderThanSeconds: number, batch: BatchSize, after?: BatchPosition): Promise<Batch>;
  /** The states of the receivers of a drop, ordered by position, after `after`. */
  deliveryStates(accountId: string, dropId: string, after: number, count: number): Promise<ReceiverState[]>;
}

export interface ReceiverState {
  readonly position: number;
  readonly receiver: string;
  readonly notifiedAt: Date | null;
  /** Since when mails have not reached them, and what the mail server said; or said last, while it is tried again. */
  readonly undeliverableAt: Date | null;
  readonly undeliverableReason: string | null;
  readonly openedAt: Date | null;
  /** When a code was entered, if one was required. */
  readonly passedAt: Date | null;
  readonly type: DropType;
  /** When all of it had been sent; of a request for files, when they first sent some. */
  readonly completedAt: Date | null;
  /** How often they sent files through a request. */
  readonly sendings: number;
  readonly filesReceived: number;
  readonly lastReceivedAt: Date | null;
  /** Whether what they did was removed for its age: then no time is known, and no byte counts as sent. */
  readonly isPurged: boolean;
  readonly files: readonly { readonly name: string; readonly sizeBytes: number; readonly deliveredBytes: number }[];
}
