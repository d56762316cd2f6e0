import type { DropType, Receiver } from '@waybill/protocol';
import type { Batch, BatchSize, FileLine } from './files.ts';

export interface NewDrop {
  readonly id: string;
  readonly type: DropType | 'receivedfiles';
  readonly message: string;
  readonly ttl: number;
  readonly ttlSeconds: number;
  readonly receiverCount: number;
  readonly fileCount: number;
  /** None where there are no links. */
  readonly linkKey: Buffer | null;
  readonly keyVersion: number;
  /** How long before the deadline receivers are reminded; null: not at all. */
  readonly reminderSeconds: number | null;
  /** The grant's link through which a contact sent it. */
  readonly from: { readonly dropId: string; readonly position: number } | null;
}

export interface NewLink {
  readonly position: number;
  readonly receiver: Receiver;
  readonly tokenDigest: Buffer;
}

export interface PagePosition {
  readonly createdAt: string;
  readonly id: string;
}

export type DropState = 'live' | 'expired' | 'revoked';

export interface DropLine extends PagePosition {
  readonly type: DropType;
  readonly state: DropState;
  readonly createdSeconds: number;
  readonly ttl: number;
  readonly message: string;
  readonly receiverCount: number;
  readonly fileCount: number;
}

export interface InboxLine extends PagePosition {
  readonly senderAccountId: string;
  readonly dropId: string;
  readonly createdSeconds: number;
  readonly ttl: number;
  readonly sender: string;
  readonly fileCount: number;
}

export interface DropStore {
  insert(accountId: string, drop: NewDrop): Promise<void>;
  insertLinks(accountId: string, dropId: string, links: readonly NewLink[]): Promise<void>;
  insertInboxEntry(accountId: string, entry: { id: string; senderAccountId: string; dropId: string }): Promise<void>;
  /** Remembers an Idempotency-Key. Returns the digest of the request it already belongs to, if any. */
  claimIdempotencyKey(accountId: string, key: string, digest: Buffer): Promise<Buffer | undefined>;
  /** Newest first, after `after`. */
  page(accountId: string, after: PagePosition | undefined, count: number): Promise<DropLine[]>;
  receivers(accountId: string, dropIds: readonly string[]): Promise<Map<string, Receiver[]>>;
  files(accountId: string, dropIds: readonly string[]): Promise<Map<string, FileLine[]>>;
  countLive(accountId: string): Promise<number>;
  inboxPage(accountId: string, after: PagePosition | undefined, count: number): Promise<InboxLine[]>;
  /** Ends up to `count` drops past their deadline: their link keys are destroyed. Returns how many. */
  endExpired(count: number): Promise<number>;
  /** Ends a drop before its deadline. False when there is none of this account, or it has ended. */
  revoke(accountId: string, dropId: string): Promise<boolean>;
  /**
   * Of ended drops, or one of them: destroys the keys of their files, which become deletions; takes them out of inboxes;
   * has the desks of their links dropped. Returns how many rows that were.
   */
  empty(batch: BatchSize, only?: { accountId: string; dropId: string }): Promise<Batch>;
  /**
   * Removes every trace of drops that ended so long ago: links, files, messages, deliveries and browsers. One stays while
   * objects of its files are still to be deleted, a message of it waits, or a contact's files came through its links.
   */
  forget(olderThanSeconds: number, batch: BatchSize): Promise<Batch>;
  forgetIdempotencyKeys(olderThanSeconds: number, count: number): Promise<number>;
  /** What is known of each receiver of a drop, in order of position, after `after`. */
  deliveryStates(accountId: string, dropId: string, after: number, count: number): Promise<ReceiverState[]>;
}

export interface ReceiverState {
  readonly position: number;
  readonly receiver: string;
  readonly notifiedAt: Date | null;
  readonly openedAt: Date | null;
  /** When a code was typed in, where one was asked for. */
  readonly passedAt: Date | null;
  /** When all of it had been sent. */
  readonly completedAt: Date | null;
  readonly files: readonly { readonly name: string; readonly sizeBytes: number; readonly deliveredBytes: number }[];
}
