import type { EvidenceFile } from '@waybill/evidence';
import type { DropType } from '@waybill/protocol';
import type { Batch, BatchPosition } from '../batch.ts';
import type { SealedFile } from '../files/file-store.ts';
import type { WantedFile } from '../files/wanted-files.ts';
import type { DayWrapped } from '../keys/key-store.ts';
import type { Channel } from '../policy.ts';
import type { Question } from './ask-sender.ts';
import type { LinkRules } from './shared-link-rule.ts';

/** A receiver's link or a shared one, found by its token or by the cookie of a browser that opened it. */
export interface Link extends LinkRules {
  readonly accountId: string;
  readonly dropId: string;
  readonly position: number;
  readonly type: DropType;
  /** The account's address. */
  readonly sender: string;
  /** The name that people know the account by, or its address if it has none. */
  readonly senderName: string;
  /** Whether the account is a test account. */
  readonly isTest: boolean;
  /** The receiver's address. Empty: it is a shared link, and nobody's. */
  readonly receiver: string;
  readonly phone: string;
  /** Whether its receiver has to enter the passphrase of the drop. */
  readonly hasPassphrase: boolean;
  readonly language: string;
  readonly message: string;
  /** Null: none. */
  readonly title: string | null;
  /** Zero: a message alone, or a request. */
  readonly fileCount: number;
  readonly lifetime: number;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** Past its deadline by the database's clock, or ended. */
  readonly ended: boolean;
  /** Whether the link is revoked, as a contact's is while the account is disabled. */
  readonly revoked: boolean;
  /** When it was revoked; null if it was not. */
  readonly revokedAt: Date | null;
  /** Whether the account is disabled: nobody reads its mail. */
  readonly isSenderDisabled: boolean;
  /** The last quarter of its time has begun. */
  readonly endsSoon: boolean;
  /** The question that its receiver asked the sender. */
  readonly asked: readonly Question[];
  /** Whether a contact may send files through it any number of times. */
  readonly reusable: boolean;
  /** The files that a request wants. */
  readonly wanted: readonly WantedFile[];
  /** Whether its receiver asked for it on the account's public page. */
  readonly isUnsolicited: boolean;
  /** When all files were sent to its receiver in full, or files were first sent through it. */
  readonly completedAt: Date | null;
  /**
   * Files were sent through it, and it takes no more; or it was downloaded as often as it may be, and not by this visit; or
   * too many wrong codes were entered.
   */
  readonly usedUp: boolean;
  /** Of a link for anybody: how many visits may download through it; null: any number. */
  readonly maxDownloads: number | null;
  /** Of a shared link: the browser or program in which it was opened, if it was found by that. */
  readonly session: Buffer | null;
}

/** A browser in which a person opened a link, or a program that did. */
export interface LinkSession {
  readonly link: Link;
  readonly digest: Buffer;
  readonly hasEnteredPassphrase: boolean;
  /** How the code came that was entered here; null if none was. */
  readonly passed: Channel | null;
  /** The last code that was sent for this browser, if any. */
  readonly code: { readonly tries: number; readonly expired: boolean; readonly expiresAt: Date } | undefined;
}

export interface DroppedFile extends SealedFile {
  /** All of it was sent to this receiver. */
  readonly complete: boolean;
}

/** Bytes of a file that were sent to a receiver. */
export interface Delivery {
  readonly file: { readonly id: string; readonly sizeBytes: number };
  readonly sent: { readonly start: number; readonly end: number };
}

/** The files, the link and the drop that a delivery completed. */
export interface Completed {
  readonly files: readonly { readonly id: string; readonly name: string; readonly evidence: EvidenceFile }[];
  /** The receiver now has every file. */
  readonly link: boolean;
  /** Every receiver now has every file. */
  readonly drop: boolean;
}

/** Which link it is, without what only its receiver needs. */
export type ReceiversLink = Pick<Link, 'dropId' | 'type' | 'position' | 'receiver' | 'isUnsolicited'>;

/** Of a drop, or of one of its links. */
export type DropEnding = Pick<Link, 'accountId' | 'dropId' | 'ended' | 'revoked'> & {
  readonly position: number | null;
  /** Of a shared link: the rules that may forbid it, whether it has ended or not. */
  readonly rules: LinkRules | null;
};

export interface LinkStore {
  byToken(tokenDigest: Buffer): Promise<Link | undefined>;
  bySession(sessionDigest: Buffer): Promise<LinkSession | undefined>;
  /** The link of a drop's receiver, by address. */
  ofReceiver(accountId: string, dropId: string, email: string): Promise<Link | undefined>;
  ofPosition(accountId: string, dropId: string, position: number): Promise<Link | undefined>;
  /**
   * Records that the link was opened in a browser or by a program, which is known by this digest. If a link then has more
   * than `maxSessions`, the oldest are closed first, but those that passed a code last. Returns whether it was opened for
   * the first time, whether a session was closed, and until when a program is known.
   */
  open(
    link: Link,
    sessionDigest: Buffer,
    limits: {
      /** How long after the link's deadline a browser is known. */
      readonly keepSeconds: number;
      /** How long a program is known; null: a browser opens it. */
      readonly programSeconds: number | null;
      readonly maxSessions: number;
    },
  ): Promise<{ readonly isFirst: boolean; readonly hasClosed: boolean; readonly expiresAt: Date | null }>;
  /** Deletes a browser in which the link was opened. */
  close(sessionDigest: Buffer): Promise<void>;
  /** The drop's wrapped link key; undefined when the drop has ended. */
  key(link: Pick<Link, 'accountId' | 'dropId'>): Promise<DayWrapped | undefined>;
  /** Serialises operations on one link until the transaction ends. */
  lock(link: Link): Promise<void>;
  /**
   * Whether the link has ended or is used up by now; if not, that stays so until the transaction ends, unless the account
   * is disabled.
   */
  holdLive(link: Link): Promise<Pick<Link, 'ended' | 'revoked' | 'usedUp'>>;
  /**
   * If this may be the first that its contact sends, waits for other contacts of the same request. Call it before the
   * transaction has changed anything, so that the last of them also comes last in the order of events.
   */
  awaitOtherContacts(link: Link): Promise<void>;
  /** Records that the contact has sent files. Returns whether every contact of the request now has, for the first time. */
  fulfil(link: Link): Promise<boolean>;
  /** Which of these drops and links have ended by now, and the rules of each that is a shared link. */
  endings(
    drops: readonly (Pick<Link, 'accountId' | 'dropId'> & { readonly position?: number })[],
  ): Promise<DropEnding[]>;
  /** Records that the receiver asked the sender this. False when it was already recorded. */
  ask(link: Link, question: Question): Promise<boolean>;
  /** How many codes were sent for the link, in total and within this many seconds. */
  codesSent(link: Link, withinSeconds: number): Promise<{ ever: number; recently: number }>;
  /** From now on, the browser's code is the one with this id. */
  setCode(sessionDigest: Buffer, codeId: string, lifetimeSeconds: number): Promise<void>;
  /** Counts a try. Returns the id of the code it may match, or undefined when there is no code left to try. */
  tryCode(sessionDigest: Buffer, maxTries: number): Promise<string | undefined>;
  /**
   * Records that the right code was entered; it cannot be used again. Returns how it came; undefined when another request
   * was faster.
   */
  pass(session: LinkSession, codeId: string): Promise<Channel | undefined>;
  /** The hash of the drop's passphrase, if it has one. */
  readPassphrase(link: Pick<Link, 'accountId' | 'dropId'>): Promise<string | undefined>;
  /** Records that the passphrase was entered in this browser. False when it was already recorded. */
  passPassphrase(sessionDigest: Buffer): Promise<boolean>;
  /**
   * Records that mails do not reach this receiver. Undefined when that is known, or when the receiver has everything.
   */
  markUndeliverable(
    link: Pick<Link, 'accountId' | 'dropId' | 'position'>,
    reason: string,
  ): Promise<ReceiversLink | undefined>;
  /** Mails may reach this receiver again, if this is why they did not. */
  markReachable(link: Pick<Link, 'accountId' | 'dropId' | 'position'>, reason: string): Promise<void>;
  /** Deletes up to `count` browsers whose links ended long ago. */
  purgeSessions(count: number, after?: BatchPosition): Promise<Batch>;
  /** The files of the link's drop, in the order they were sent, or one of them. */
  files(link: Link, fileId?: string): Promise<DroppedFile[]>;
  /**
   * Records what was sent to the receiver, each file at most once. A file is complete when all of its bytes have been
   * sent, in any order.
   */
  deliver(link: Link, deliveries: readonly Delivery[]): Promise<Completed>;
}
