import type { DropType } from '@waybill/protocol';
import type { FileLine, UnscannedReason } from '../files/file-store.ts';
import type { SecondFactorChoices } from '../links/second-factor.ts';
import type { SecondFactor } from '../policy.ts';
import type { DropState } from './drop-store.ts';

/** The sender's choices that the machine API does not have. */
export interface SenderChoices {
  /** The sender's own name for the drop. */
  readonly externalId: string | null;
  readonly metadata: Readonly<Record<string, string>> | null;
  /** Null: what applies to the account. */
  readonly secondFactor: SecondFactor | null;
  /** Whether receivers get mails: an invitation, and a reminder before the deadline. */
  readonly notify: boolean;
}

/** One of what an account has sent. One of another type is not found by it. */
export interface SentId {
  readonly type: DropType;
  readonly dropId: string;
}

/** A drop, or a request for files, as its sender sees it. */
export interface SentDrop extends SenderChoices, SecondFactorChoices {
  readonly id: string;
  /** Changes with every change of the drop itself; not with what receivers do. */
  readonly version: string;
  readonly state: DropState;
  readonly message: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly revokedAt: Date | null;
  readonly receiverCount: number;
  readonly fileCount: number;
  /** For a request: whether a contact may send files any number of times. */
  readonly reusable: boolean;
  /** True if the records of what receivers did were purged. */
  readonly isPurged: boolean;
}

export interface SentReceiver {
  readonly position: number;
  readonly email: string;
  readonly name: string | null;
  readonly phone: string;
  readonly language: string;
  readonly notifiedAt: Date | null;
  readonly undeliverableAt: Date | null;
  readonly undeliverableReason: string | null;
  readonly openedAt: Date | null;
  /** When they had been sent every file, or when they first sent files. */
  readonly completedAt: Date | null;
  readonly revokedAt: Date | null;
  /** How many files were sent to them in full. */
  readonly filesDelivered: number;
  /** How often they sent files, how many, and when for the last time, as far as that is still kept. */
  readonly sendings: number;
  readonly filesReceived: number;
  readonly lastReceivedAt: Date | null;
}

export interface SentFile {
  readonly id: string;
  readonly name: string;
  readonly path: string;
  readonly mediaType: string;
  readonly sizeBytes: number;
  readonly sha256: Buffer;
  readonly scan: FileLine['scan'];
  readonly unscannedReason: UnscannedReason | null;
  /** Its bytes are stored and can be read. */
  readonly isStored: boolean;
  /** To how many receivers it was sent in full. */
  readonly receiversDelivered: number;
}

/** Which drops a list has: those that match everything that is given. */
export interface SentDropFilter {
  readonly state?: DropState | undefined;
  readonly createdFrom?: Date | undefined;
  readonly createdBefore?: Date | undefined;
  /** Any one of these is enough; undefined: all drops. */
  readonly anyOf?: readonly SentDropKey[] | undefined;
}

export type SentDropKey =
  | { readonly receiver: string }
  | { readonly externalId: string }
  /** The last hexadecimal digits of the id (see reference.ts). */
  | { readonly idEnd: string };

/** The drops with files to download, and the requests for files, of an account. */
export interface SentDropStore {
  /** Newest first, after `after`. */
  page(
    accountId: string,
    type: DropType,
    filter: SentDropFilter,
    after: Pick<SentDrop, 'id'> | undefined,
    count: number,
  ): Promise<SentDrop[]>;
  find(accountId: string, sent: SentId): Promise<SentDrop | undefined>;
  /** Ordered by position, or one of them. */
  receivers(accountId: string, dropId: string, position?: number): Promise<SentReceiver[]>;
  /** In the order they were sent. */
  files(accountId: string, dropId: string): Promise<SentFile[]>;
  /** Makes room for another receiver. Returns its position. */
  growByOne(accountId: string, dropId: string): Promise<number>;
  /** Ends the link of one receiver, and removes the drop from their inbox. Returns their address, if there was a link. */
  revokeLink(accountId: string, dropId: string, position: number): Promise<string | undefined>;
}
