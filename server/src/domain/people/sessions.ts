import { hash } from 'node:crypto';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { Store } from '../store.ts';
import type { Browser } from './browser.ts';
import type { Person } from './person-store.ts';
import type { MemberAccess, Session, SessionStage, SignedInBy } from './session-store.ts';

/** A session ends after this long without a request. */
export const idleSeconds = 24 * 60 * 60;
/** A session ends this long after it began. */
const lifetimeSeconds: Readonly<Record<SessionStage, number>> = {
  enrolment: 60 * 60,
  second_factor: 10 * 60,
  complete: 14 * 24 * 60 * 60,
};
const secretBytes = 32;
const secretShape = /^[\w-]{43}$/;

export interface SignedIn {
  readonly session: Session;
  readonly person: Person;
}

/** The properties of a new session. */
export interface SessionStart extends SignedInBy {
  readonly personId: string;
  readonly stage: SessionStage;
  /** When the person last proved who they are; absent: now. */
  readonly authenticatedAt?: Date;
}

/** Begins a session, and returns its id and the secret for the browser's cookie, of which only the digest is stored. */
export async function beginSession(
  { random }: Pick<Engines, 'random'>,
  tx: Pick<Store, 'sessions'>,
  { personId, stage, method, provider, authenticatedAt }: SessionStart,
  { address, userAgent }: Browser,
): Promise<{ id: string; secret: string }> {
  const id = random.uuid();
  const secret = random.bytes(secretBytes).toString('base64url');
  await tx.sessions.insert({
    id,
    digest: digestSecret(secret),
    personId,
    stage,
    method,
    address,
    userAgent,
    lifetimeSeconds: lifetimeSeconds[stage],
    authenticatedAt,
    provider,
  });
  return { id, secret };
}

/**
 * Finds the session of a browser's cookie. Undefined if it has ended, or never was one. Only what a person does keeps it
 * from being idle.
 */
export async function findSession(
  { store }: Pick<Engines, 'store'>,
  secret: string,
  { isPerson = true }: { readonly isPerson?: boolean } = {},
): Promise<SignedIn | undefined> {
  if (!secretShape.test(secret)) return undefined;
  const digest = digestSecret(secret);
  const found = await store.sessions.byDigest(digest, idleSeconds);
  if (!found) return undefined;
  const { session, person, seenIsDue } = found;
  if (seenIsDue && isPerson) {
    // While the database only reads, sessions work as before, and a later request records that it was seen.
    await store.sessions.recordSeen(digest).catch((error: unknown) => {
      if (!(error instanceof ExchangeError) || error.code !== 'unavailable') throw error;
    });
  }
  return { session, person };
}

/** The sessions of a person that are listed: more than anybody has devices. */
const maxSessions = 100;

/** Lists the sessions in which a person is signed in, the newest first. */
export const listSessions = ({ store }: Pick<Engines, 'store'>, personId: string) =>
  store.sessions.ofPerson(personId, idleSeconds, maxSessions);

/** Finds those that are not allowed any more. */
export const findEndedAccess = ({ store }: Pick<Engines, 'store'>, all: readonly MemberAccess[]) =>
  store.sessions.endedAccess(all, idleSeconds);

/** Ends the session that a browser had, if any: whoever signs in again gets another one. */
export async function endPreviousSession(
  { store }: Pick<Engines, 'store'>,
  signedIn: SignedIn | undefined,
): Promise<void> {
  if (signedIn) await store.sessions.end(signedIn.person.id, { id: signedIn.session.id });
}

/**
 * Replaces a session by one with other rights, in one transaction. The new one has a new secret, so that whoever knew the
 * old one gains nothing.
 */
export async function replaceSession(
  engines: Pick<Engines, 'random'>,
  tx: Pick<Store, 'sessions'>,
  previous: Session,
  next: Omit<SessionStart, 'personId'>,
  browser: Browser,
): Promise<{ id: string; secret: string }> {
  const { personId, id } = previous;
  if ((await tx.sessions.end(personId, { id })) === 0) throw new ExchangeError('sign_in_required');
  return await beginSession(engines, tx, { ...next, personId }, browser);
}

function digestSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}
