import type { DropType } from '@waybill/protocol';
import type { FileLine, UnscannedReason } from '../files/file-store.ts';
import type { WantedFile } from '../files/wanted-files.ts';
import type { SecondFactorChoices } from '../links/second-factor.ts';
import type { SecondFactor } from '../policy.ts';
import type { DropState } from './drop-store.ts';

/** The sender's choices that the machine API does not have. */
export interface SenderChoices {
  /** One line by which people know it. Null: none. */
  readonly title: string | null;
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
  /** Whether receivers have to enter a passphrase. */
  readonly hasPassphrase: boolean;
  /** The API key that sent it; null: a person did. */
  readonly keyId: string | null;
  /** Changes with every change of the drop itself; not with what receivers do. */
  readonly version: string;
  readonly state: DropState;
  readonly message: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly revokedAt: Date | null;
  /** Until when its revocation can be undone; null if it cannot. */
  readonly restorableUntil: Date | null;
  /** When receivers who do not have everything are reminded by themselves; null if they were, or never are. */
  readonly remindAt: Date | null;
  readonly receiverCount: number;
  readonly fileCount: number;
  /** For a request: whether a contact may send files any number of times. */
  readonly reusable: boolean;
  /** For a request: the files that it wants. */
  readonly wanted: readonly WantedFile[];
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
  /** Whether the bytes of the file are stored and can be read. */
  readonly isStored: boolean;
  /** To how many receivers it was sent in full. */
  readonly receiversDelivered: number;
}

/** Which drops a list has: those that match everything that is given. */
export interface SentDropFilter {
  readonly state?: DropState | undefined;
  readonly createdFrom?: Date | undefined;
  readonly createdBefore?: Date | undefined;
  readonly part?: SentPart | undefined;
  /** The person who sent them; null: programs did. */
  readonly sentBy?: string | null | undefined;
  /** Any one of these is enough; undefined: all drops. */
  readonly anyOf?: readonly SentDropKey[] | undefined;
}

/** Drops that did not reach somebody, drops that somebody still has to fetch, or all others. */
export type SentPart = 'attention' | 'underway' | 'done';

/** Where a page of a list begins, and how the list is ordered. */
export interface SentPlace {
  /** The id of the drop before the page. */
  readonly after?: string | undefined;
  /** The id of the drop behind the page. */
  readonly before?: string | undefined;
  /** Sorts by the deadline, the earliest first; only for a part that has not ended. Otherwise the newest comes first. */
  readonly byExpiry?: boolean | undefined;
}

/** How far a drop has come, and what it is known by in a list. */
export interface SentSummary {
  readonly dropId: string;
  readonly firstReceiver: { readonly name: string | null; readonly email: string };
  /** The number of receivers whose link works, or who have everything. */
  readonly receivers: number;
  readonly delivered: number;
  /** Mails do not reach them, and they have not opened the page. */
  readonly undeliverable: number;
  readonly opened: number;
  readonly downloaded: number;
  /** Null: a message alone. */
  readonly firstFile: string | null;
  readonly totalBytes: number;
}

/** A receiver, for the page on which people follow a drop. */
export interface FollowedReceiver
  extends Pick<
    SentReceiver,
    | 'position'
    | 'email'
    | 'notifiedAt'
    | 'undeliverableAt'
    | 'undeliverableReason'
    | 'openedAt'
    | 'completedAt'
    | 'revokedAt'
  > {
  /** As the sender named them, or as the contacts did. */
  readonly name: string | null;
}

export type FollowedFile = Pick<SentFile, 'id' | 'path' | 'sizeBytes' | 'scan' | 'unscannedReason'>;

/** The receivers who have a file, by their positions, of which only the first few are listed. */
export interface FileHolders {
  readonly fileId: string;
  readonly deliveredCount: number;
  readonly deliveredTo: readonly number[];
  readonly partlyCount: number;
  readonly partlyTo: readonly { readonly position: number; readonly bytes: number }[];
}

export type SentDropKey =
  | { readonly receiver: string }
  | { readonly externalId: string }
  /** The last hexadecimal digits of the id (see reference.ts). */
  | { readonly idEnd: string }
  /** A part of a text of the drop, of its receivers or of its files. */
  | { readonly text: string };

/** The drops with files to download, and the requests for files, of an account. */
export interface SentDropStore {
  page(accountId: string, type: DropType, filter: SentDropFilter, place: SentPlace, count: number): Promise<SentDrop[]>;
  /** In any order. */
  summaries(accountId: string, dropIds: readonly string[]): Promise<SentSummary[]>;
  /** How many drops did not reach somebody, up to `max`. */
  countAttention(accountId: string, max: number): Promise<number>;
  find(accountId: string, sent: SentId): Promise<SentDrop | undefined>;
  /** Ordered by position, or one of them. */
  receivers(accountId: string, dropId: string, position?: number): Promise<SentReceiver[]>;
  /** In the order they were sent. */
  files(accountId: string, dropId: string): Promise<SentFile[]>;
  /** All of them, ordered by position, without what takes long to count. */
  followedReceivers(accountId: string, dropId: string): Promise<FollowedReceiver[]>;
  /** All of them, in the order they were sent. */
  followedFiles(accountId: string, dropId: string): Promise<FollowedFile[]>;
  /**
   * Finds which of these receivers have each of these files, and lists up to `max`. A file that nobody has is left out.
   */
  holders(
    accountId: string,
    dropId: string,
    among: { readonly fileIds: readonly string[]; readonly positions: readonly number[] },
    max: number,
  ): Promise<FileHolders[]>;
  /**
   * Records who sees the links of all receivers, or of one. Returns the positions of those that still work, and whether
   * this person has seen them before.
   */
  recordShown(
    accountId: string,
    dropId: string,
    person: string,
    position?: number,
  ): Promise<{ readonly position: number; readonly isKnown: boolean }[]>;
  /** Whether it was sent to anybody by name. */
  hasReceivers(accountId: string, dropId: string): Promise<boolean>;
  /** Makes room for another receiver. Returns its position. */
  growByOne(accountId: string, dropId: string): Promise<number>;
  /** Ends the link of one receiver, and removes the drop from their inbox. Returns their address, if there was a link. */
  revokeLink(accountId: string, dropId: string, position: number): Promise<string | undefined>;
}
