import type { AddedMethod } from '../outbox/mail-templates.ts';
import type { MemberRole, Membership, Person } from './person-store.ts';

/**
 * How far a session has come:
 *
 * - `enrolment`: the person came by a mailed link, and has to register a sign-in method
 * - `second_factor`: they entered their password, and have to enter a code
 * - `complete`: they are signed in
 */
export type SessionStage = 'enrolment' | 'second_factor' | 'complete';
export type SignInMethod = 'link' | 'passkey' | 'password' | 'provider';

/** The method of a session. */
export interface SignedInBy {
  readonly method: SignInMethod;
  /** The provider that signed the person in, and its own name for the session, by which it signs them out. */
  readonly provider?: { readonly issuer: string; readonly sid: string | null } | undefined;
}

/** A browser in which a person has signed in, or has begun to. */
export interface Session extends SignedInBy {
  readonly id: string;
  readonly personId: string;
  readonly stage: SessionStage;
  readonly address: string;
  readonly userAgent: string;
  readonly createdAt: Date;
  /** When the person last proved who they are. */
  readonly authenticatedAt: Date;
  /** Accurate to a few minutes. */
  readonly seenAt: Date;
  readonly expiresAt: Date;
}

export interface NewSession extends SignedInBy, Pick<Session, 'id' | 'personId' | 'stage' | 'address' | 'userAgent'> {
  readonly digest: Buffer;
  readonly lifetimeSeconds: number;
  /** Undefined: now. */
  readonly authenticatedAt: Date | undefined;
}

/** The access that allows a request of the app: a session, and the person's membership with at least this role. */
export interface MemberAccess extends Pick<Membership, 'accountId'> {
  readonly sessionId: string;
  readonly role: MemberRole;
}

/** A sign-in in a browser in which the person has not signed in before, or a method that was added. */
export interface SignInNotice extends Pick<Session, 'id' | 'personId' | 'address' | 'userAgent'> {
  readonly at: Date;
  readonly added?: AddedMethod | undefined;
}

export interface SessionStore {
  insert(session: NewSession): Promise<void>;
  /** A session that has neither expired nor been idle for too long, of a person who is not disabled. */
  byDigest(
    digest: Buffer,
    idleSeconds: number,
  ): Promise<{ session: Session; person: Person; seenIsDue: boolean } | undefined>;
  recordSeen(digest: Buffer): Promise<void>;
  /** Returns those whose session or membership has ended, or whose membership lacks the role, by one query. */
  endedAccess(all: readonly MemberAccess[], idleSeconds: number): Promise<MemberAccess[]>;
  /** The sessions that are signed in, the newest first. */
  ofPerson(personId: string, idleSeconds: number, count: number): Promise<Session[]>;
  /** Returns how many were ended. */
  end(personId: string, which: { readonly id: string } | { readonly except: string } | 'all'): Promise<number>;
  /** Ends the sessions that a provider began: one, or all of a subject. */
  endOfProvider(issuer: string, which: { readonly sid: string } | { readonly subject: string }): Promise<number>;
  /** Enqueues the mail that tells the person. */
  enqueueNotice(notice: Omit<SignInNotice, 'at'>): Promise<void>;
  /** Removes up to `count` sessions that have expired. Returns how many. */
  purge(count: number): Promise<number>;
}
