import { hash } from 'node:crypto';
import { limits } from '@waybill/protocol';
import { personAuthor } from '../audit/author.ts';
import { record, serverAccountId } from '../audit/record.ts';
import { emailAddress } from '../contacts/email-address.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { Browser } from '../people/browser.ts';
import { lockPerson } from '../people/change-as-person.ts';
import type { Person } from '../people/person-store.ts';
import type { Session } from '../people/session-store.ts';
import { beginSession, replaceSession } from '../people/sessions.ts';
import type { PasskeySite } from '../ports/passkeys.ts';
import type { Store } from '../store.ts';
import { Challenges, readChallenge } from './challenges.ts';
import { readDeviceCookie } from './known-device.ts';
import { challengeSeconds } from './passkey-values.ts';
import { digestRecoveryCode } from './recovery-codes.ts';
import { deriveTotpSecret, findTotpStep } from './totp.ts';

type Needs = Pick<Engines, 'store' | 'random'> & { readonly pepper: Buffer };

/** An id that no person has: an unknown address takes the same queries as a known one. */
const nobody = '00000000-0000-0000-0000-000000000000';

/** The session that a browser gets: its secret, whose it is, and whether a code is still to be entered. */
interface Begun {
  readonly secret: string;
  readonly personId: string;
  readonly isComplete: boolean;
}

/**
 * Signs a person in by their password. An unknown address, a person without a password and a wrong password cannot be
 * told apart: each takes the same work and throws the same error.
 */
export async function signInWithPassword(
  engines: Needs & Pick<Engines, 'passwords'>,
  { email, password }: { readonly email: string; readonly password: string },
  browser: Browser,
): Promise<Begun> {
  const { store, passwords } = engines;
  const person = await store.people.byEmail(toSignInEmail(email));
  const known = await store.signInMethods.password(person?.id ?? nobody);
  const stored = person?.disabled ? undefined : known;
  if (!(await passwords.verify(password, stored?.hash)) || !person) throw new ExchangeError('sign_in_failed');
  const renewed = stored && passwords.needsRehash(stored.hash) ? await passwords.hash(password) : undefined;
  return store.transaction(async (tx) => {
    // A password that was changed meanwhile has ended all sessions, and begins no further one.
    await lockPerson(tx, person.id);
    if ((await tx.signInMethods.password(person.id))?.hash !== stored?.hash) throw new ExchangeError('sign_in_failed');
    if (renewed !== undefined) await tx.signInMethods.setPassword(person.id, renewed);
    const needsCode = (await tx.signInMethods.authenticatorApp(person.id))?.isConfirmed ?? false;
    const stage = needsCode ? 'second_factor' : 'complete';
    const { secret } = await beginSession(engines, tx, { personId: person.id, stage, method: 'password' }, browser);
    if (!needsCode) await recordSignIn(engines, tx, person, 'password', browser);
    return { secret, personId: person.id, isComplete: !needsCode };
  });
}

/** Completes a sign-in by password with a code of the authenticator app, or with a recovery code, each of which works once. */
export async function passSecondFactor(
  engines: Needs,
  { session, person }: { readonly session: Session; readonly person: Person },
  typed: { readonly code: string } | { readonly recoveryCode: string },
  browser: Browser,
  now: Date,
): Promise<string> {
  const { store, pepper } = engines;
  return store.transaction(async (tx) => {
    await lockPerson(tx, person.id);
    const methods = tx.signInMethods;
    if ('code' in typed) {
      const app = await methods.authenticatorApp(person.id);
      if (!app?.isConfirmed) throw new ExchangeError('sign_in_failed');
      const step = findTotpStep(deriveTotpSecret(app.salt, person.id, pepper), typed.code, { now, ...app });
      if (step === undefined || !(await methods.acceptStep(person.id, step))) throw new ExchangeError('sign_in_failed');
    } else {
      const digest = digestRecoveryCode(typed.recoveryCode, person.id, pepper);
      if (!digest || !(await methods.useRecoveryCode(person.id, digest))) throw new ExchangeError('sign_in_failed');
    }
    const { secret } = await replaceSession(
      engines,
      tx,
      session,
      { stage: 'complete', method: session.method },
      browser,
    );
    await recordSignIn(
      engines,
      tx,
      person,
      'code' in typed ? 'password and code' : 'password and recovery code',
      browser,
    );
    return secret;
  });
}

/** Makes the options with which a browser asks for a passkey. */
export async function beginPasskeySignIn(
  { random, passkeys, pepper }: Pick<Engines, 'random' | 'passkeys'> & { readonly pepper: Buffer },
  { site, boundTo, now }: PasskeyRequest,
) {
  const challenge = new Challenges(pepper).make(random, `sign-in ${boundTo}`, now, challengeSeconds);
  return passkeys.makeSignInOptions({ site, challenge });
}

/** Where and when a passkey is used. The challenge is bound to a text, such as the token of the browser's forms. */
export interface PasskeyRequest {
  readonly site: PasskeySite;
  readonly boundTo: string;
  readonly now: Date;
}

/** Signs in the person whose passkey responded. It counts as two factors: having the device, and unlocking it. */
export async function signInWithPasskey(
  engines: Needs & Pick<Engines, 'passkeys'>,
  response: unknown,
  request: PasskeyRequest,
  browser: Browser,
): Promise<Begun> {
  const { store, passkeys } = engines;
  const challenge = requireChallenge(engines, response, { ...request, boundTo: `sign-in ${request.boundTo}` });
  const credentialId = passkeys.readCredentialId(response);
  const passkey = credentialId && (await store.signInMethods.passkey(credentialId));
  const person = passkey && (await store.people.byId(passkey.personId));
  if (!person || person.disabled) throw new ExchangeError('sign_in_failed');
  const verified = await passkeys.verifySignIn(response, {
    site: request.site,
    challenge,
    passkey,
    handle: person.handle,
  });
  if (verified.outcome === 'refused') throw new ExchangeError('sign_in_failed');
  return store.transaction(async (tx) => {
    if (!(await tx.usedTokens.use(hash('sha256', challenge, 'buffer'), challengeSeconds))) {
      throw new ExchangeError('sign_in_failed');
    }
    // Two sign-ins at once with the same counter: the second was made by a copy.
    await lockPerson(tx, person.id);
    const stored = await tx.signInMethods.passkey(passkey.credentialId);
    const isCounting = verified.counter > 0 || (stored?.counter ?? 0) > 0;
    if (!stored || (isCounting && verified.counter <= stored.counter)) throw new ExchangeError('sign_in_failed');
    await tx.signInMethods.recordPasskeyUse(passkey.credentialId, verified.counter, verified.isBackedUp);
    const start = { personId: person.id, stage: 'complete', method: 'passkey' } as const;
    const { secret } = await beginSession(engines, tx, start, browser);
    await recordSignIn(engines, tx, person, 'passkey', browser);
    return { secret, personId: person.id, isComplete: true };
  });
}

/** Returns the challenge that a response responds to, if it was made for this and has not expired. */
export function requireChallenge(
  { pepper }: { readonly pepper: Buffer },
  response: unknown,
  { boundTo, now }: Pick<PasskeyRequest, 'boundTo' | 'now'>,
): Buffer {
  const challenge = readChallenge(response);
  if (!challenge || !new Challenges(pepper).isValid(challenge, boundTo, now)) throw new ExchangeError('sign_in_failed');
  return challenge;
}

/** Records a sign-in, and tells the person by mail if it was in a browser in which they have not signed in before. */
export async function recordSignIn(
  { random, pepper }: Pick<Engines, 'random'> & { readonly pepper: Buffer },
  tx: Pick<Store, 'audit' | 'sessions'>,
  person: Person,
  method: string,
  { address, userAgent, deviceCookie }: Browser,
): Promise<void> {
  await record({ random }, tx, {
    accountId: serverAccountId,
    author: personAuthor(person, address),
    action: 'person.signed_in',
    details: { method },
  });
  if (readDeviceCookie(deviceCookie, person.id, pepper)) return;
  await tx.sessions.enqueueNotice({ id: random.uuid(), personId: person.id, address, userAgent });
}

/** The address that a person typed, in the form in which addresses are stored. A text that is no address is nobody's. */
export function toSignInEmail(typed: string): string {
  try {
    return emailAddress(typed.trim());
  } catch (error) {
    if (!(error instanceof ExchangeError)) throw error;
    return typed.trim().toLowerCase().slice(0, limits.emailLength);
  }
}
