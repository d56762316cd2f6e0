import type { DropType } from '@waybill/protocol';
import type { SecondFactor } from './engines.ts';
import type { SealedFile } from './files.ts';

/** A receiver's link, by its token or by the cookie of a browser that opened it. */
export interface Link {
  readonly accountId: string;
  readonly dropId: string;
  readonly position: number;
  readonly type: DropType;
  readonly sender: string;
  readonly receiver: string;
  readonly number: string;
  readonly language: string;
  readonly message: string;
  readonly ttl: number;
  readonly expiresAt: Date;
  /** Past its deadline by the database's clock, or ended. */
  readonly ended: boolean;
  readonly revoked: boolean;
  /** The account's choice; null: the server's. */
  readonly secondFactor: SecondFactor | null;
}

/** A browser in which a person opened a link. */
export interface LinkSession {
  readonly link: Link;
  readonly digest: Buffer;
  /** The right code was typed in here. */
  readonly passed: boolean;
  /** The last code that was sent for this browser, if any. */
  readonly code: { readonly tries: number; readonly expired: boolean } | undefined;
}

export interface DroppedFile extends SealedFile {
  /** All of it was sent to this receiver. */
  readonly complete: boolean;
}

export type DropEnding = Pick<Link, 'accountId' | 'dropId' | 'ended' | 'revoked'>;

export interface LinkStore {
  byToken(tokenDigest: Buffer): Promise<Link | undefined>;
  bySession(sessionDigest: Buffer): Promise<LinkSession | undefined>;
  /** The link of a receiver of a drop, by address. */
  ofReceiver(accountId: string, dropId: string, email: string): Promise<Link | undefined>;
  /**
   * A person opened the link in a browser that is known by this digest until `keepSeconds` after the link's
   * deadline. Of more than `maxSessions` of one link, those that were opened first are closed, and those
   * that passed a code last.
   */
  open(link: Link, sessionDigest: Buffer, keepSeconds: number, maxSessions: number): Promise<void>;
  /** Forgets a browser in which the link was opened. */
  close(sessionDigest: Buffer): Promise<void>;
  /** The drop's wrapped link key; none when the drop has ended. */
  key(link: Link): Promise<{ readonly linkKey: Buffer; readonly keyVersion: number } | undefined>;
  /** Serialises what is done for one link until the transaction ends. */
  lock(link: Link): Promise<void>;
  /** Whether the link is over by now; if not, it stays so until the transaction ends. */
  holdLive(link: Link): Promise<Pick<Link, 'ended' | 'revoked'>>;
  /** Which of these drops are over by now. */
  endings(drops: readonly Pick<Link, 'accountId' | 'dropId'>[]): Promise<DropEnding[]>;
  /** How many codes were sent for the link, in all and within so many seconds. */
  codesSent(link: Link, withinSeconds: number): Promise<{ ever: number; recently: number }>;
  /** The browser's code from now on is the one of this id. */
  setCode(sessionDigest: Buffer, codeId: string, ttlSeconds: number): Promise<void>;
  /** Counts a try. Returns the id of the code it may be, or nothing when there is none to be tried (any more). */
  tryCode(sessionDigest: Buffer, maxTries: number): Promise<string | undefined>;
  /** The right code was typed in; it cannot be used again. False when another request was faster. */
  pass(session: LinkSession, codeId: string): Promise<boolean>;
  /** Forgets up to `count` browsers whose links are long over. Returns how many. */
  forgetSessions(count: number): Promise<number>;
  /** The files of the link's drop, in the order they were sent, or one of them. */
  files(link: Link, fileId?: string): Promise<DroppedFile[]>;
  /**
   * Bytes of a file were sent to the receiver. Returns whether that completed the drop: of every file all bytes were
   * sent, in whatever order.
   */
  deliver(link: Link, file: { id: string; sizeBytes: number }, sent: { start: number; end: number }): Promise<boolean>;
}
