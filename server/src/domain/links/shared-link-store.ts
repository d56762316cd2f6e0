import type { Completed, Delivery, Link } from './link-store.ts';
import type { LinkRules, SharedLinkKind } from './shared-link-rule.ts';

/** A link of a drop for all of its receivers, or for anybody who has it, as its sender sees it. */
export interface SharedLink extends LinkRules {
  readonly kind: SharedLinkKind;
  readonly position: number;
  readonly createdAt: Date;
  /** The account or person who made it. */
  readonly createdBy: string;
  /** Its own end, or the drop's if that is earlier. */
  readonly expiresAt: Date;
  readonly ended: boolean;
  readonly revokedAt: Date | null;
  /** How many visits may download through it; null: any number. */
  readonly maxDownloads: number | null;
  /** How many visits were sent a file in full. */
  readonly downloads: number;
  readonly lastDownloadAt: Date | null;
  /** In how many browsers or programs it was opened, and when for the first time. */
  readonly visits: number;
  readonly openedAt: Date | null;
}

export interface NewSharedLink {
  readonly kind: SharedLinkKind;
  readonly position: number;
  readonly tokenDigest: Buffer;
  readonly createdBy: string;
  /** Null: it ends with the drop. */
  readonly expiresAt: Date | null;
  readonly maxDownloads: number | null;
}

/** The files that a transfer completed, and its visit. */
export interface CompletedVisit extends Omit<Completed, 'drop'> {
  /** How many visits count now, if this one has just been counted. */
  readonly downloads: number | null;
}

/** A visit is a browser or a program in which a shared link was opened: its session. */
export interface SharedLinkStore {
  /** In the order in which they were made. */
  list(accountId: string, dropId: string): Promise<SharedLink[]>;
  insert(accountId: string, dropId: string, link: NewSharedLink): Promise<void>;
  /**
   * Holds a place for a transfer of a visit, if the visit has one, is counted, or there is one left. The link is locked:
   * there are never more than the maximum, however many processes ask at once.
   */
  reserve(link: Link, transferId: string, leaseSeconds: number): Promise<'held' | 'taken' | 'used_up'>;
  /** False when the place is lost, and the visit is not counted. */
  renew(link: Link, transferId: string, leaseSeconds: number): Promise<boolean>;
  release(link: Link, transferId: string): Promise<void>;
  /**
   * Records what was sent to a visit, and counts the visit with its first file: one of which it was sent everything, or the
   * rest of what visits that were not counted were sent. Only what is new for the link is returned.
   */
  deliver(link: Link, session: Buffer, deliveries: readonly Delivery[]): Promise<CompletedVisit>;
  /** From now on, a code with this id is asked for in the session, for this receiver or nobody. */
  setCodeFor(session: Buffer, position: number | null, codeId: string, lifetimeSeconds: number): Promise<void>;
  /** Counts a code as wrong before it is compared. False when too many were, in all sessions of the link together. */
  countWrongCode(link: Link, max: number): Promise<boolean>;
  /** It was the right one. */
  uncountWrongCode(link: Link): Promise<void>;
  /** The receiver whose code the session may enter. */
  findAsked(session: Buffer): Promise<number | null>;
  /**
   * Makes the session one of the receiver's own link, which is opened in it. Returns whether that is for the first
   * time; undefined when another request was faster.
   */
  become(
    session: Buffer,
    receiver: Link,
    codeId: string,
    maxSessions: number,
  ): Promise<{ readonly isFirst: boolean; readonly hasClosed: boolean } | undefined>;
}
