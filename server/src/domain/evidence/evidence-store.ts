import type { EventData, EventKind } from '@waybill/evidence';
import type { Batch, BatchPosition, BatchSize } from '../batch.ts';

type LogKind = 'key.destroyed' | 'log.started' | 'log.key_added' | 'log.key_retired';
type DropKind = 'submission.accepted' | 'drop.extended' | 'drop.expired' | 'drop.revoked' | 'drop.restored';
type ReceiverKind =
  | 'content.consigned'
  | 'content.received'
  | 'notification.sent'
  | 'notification.accepted'
  | 'notification.failed'
  | 'link.shown'
  | 'link.revoked'
  | 'link.opened'
  | 'link.downloaded'
  | 'code.entered'
  | 'passphrase.entered'
  | 'content.handed_over';

type Entries<Kind extends EventKind, Story> = {
  [Each in Kind]: Story & { readonly accountId: string; readonly kind: Each; readonly data: EventData<Each> };
}[Kind];

/** An event that is to be proven later, in its story: of the log, of a drop, or of a receiver of a drop. */
export type NewEvidence =
  | Entries<LogKind, object>
  | Entries<DropKind, { readonly dropId: string }>
  | Entries<ReceiverKind, { readonly dropId: string; readonly position: number }>;

/** The place of a leaf: an epoch of the log, and the index in it. */
export interface LeafPosition {
  readonly epoch: number;
  readonly leafIndex: number;
}

/** An entry that has its place in the log. */
export interface LoggedEvidence extends LeafPosition {
  readonly id: string;
  readonly at: Date;
  readonly kind: string;
  readonly dropId: string | null;
  /** Of the receiver in the drop; null in the story of a drop. */
  readonly position: number | null;
  readonly number: number;
  /** Both null: erased. */
  readonly data: Readonly<Record<string, unknown>> | null;
  readonly salt: Buffer | null;
  readonly commitment: Buffer;
}

/** A receiver of a drop, by the account that sent it: their story and the drop's belong together. */
export interface ReceiverStory {
  readonly accountId: string;
  readonly dropId: string;
  readonly position: number;
}

/** A receiver of whom a receipt can be made, also after the rows of the drop are purged. */
export interface ProvenReceiver {
  readonly dropId: string;
  readonly type: 'drop' | 'request';
  readonly position: number;
  /** As corrected last. */
  readonly email: string;
  readonly name: string | null;
}

export interface ReceiverQuery {
  readonly accountId: string;
  /** The last hexadecimal digits of the id (see reference.ts). */
  readonly idEnd: string;
  readonly dropId?: string | undefined;
  readonly email?: string | undefined;
  readonly after?: Pick<ProvenReceiver, 'dropId' | 'position'> | undefined;
}

/**
 * The events that receipts prove. An entry is written in the transaction of its event, and the sequencer gives it a
 * leaf of the log. Erasing takes the event and its salt from an entry; the leaf stays, and says nothing without them.
 */
export interface EvidenceStore {
  /** One statement, however many there are. The data of a test account's events says so, whoever writes them. */
  append(entries: readonly NewEvidence[]): Promise<void>;
  /**
   * The stories of a drop and of one of its receivers, as far as they are in the log, in its order. At most `count`
   * entries after a leaf, or from the first.
   */
  readStories(story: ReceiverStory, after: LeafPosition | undefined, count: number): Promise<LoggedEvidence[]>;
  /** The receivers of what an account has sent, in the order of their positions; without those that were erased. */
  findReceivers(query: ReceiverQuery, count: number): Promise<ProvenReceiver[]>;
  /**
   * Whether published checkpoints, and cosigned ones, cover all entries of both stories that were made until a moment, or
   * until now; and the time of the database. An epoch that has ended counts as cosigned: waiting for it does not help.
   */
  checkPublished(
    story: ReceiverStory,
    until?: Date,
  ): Promise<{ readonly now: Date; readonly isPublished: boolean; readonly isCosigned: boolean }>;
  /** The entries of all accounts with leaves of an epoch, in order: at most `count`, from one leaf on. For the whole server. */
  readLeaves(from: LeafPosition, count: number): Promise<LoggedEvidence[]>;
  /** The destruction of the key of a day, as `YYYY-MM-DD`, if it is in the log. */
  findDestroyedKey(day: string): Promise<LoggedEvidence | undefined>;
  /**
   * Erases entries that name this address or phone number, and the stories of the receivers who have it. Leaves out
   * those that are under a legal hold, and those that wait for their leaf.
   */
  eraseNaming(address: string, batch: BatchSize): Promise<Batch>;
  /** Entries that name this address or phone number. */
  countNaming(address: string): Promise<number>;
  /** Erases up to `count` entries of an account. Returns how many. */
  eraseOfAccount(accountId: string, count: number): Promise<number>;
  /** Erases up to `count` entries that are this old and not under a legal hold. */
  purge(olderThanSeconds: number, count: number, after?: BatchPosition): Promise<Batch>;
}
