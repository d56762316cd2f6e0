import { personAuthor } from '../audit/author.ts';
import { record, serverAccountId, type UnattributedChange } from '../audit/record.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { AddedMethod } from '../outbox/mail-templates.ts';
import type { Browser } from '../people/browser.ts';
import { lockPerson } from '../people/change-as-person.ts';
import type { Person } from '../people/person-store.ts';
import type { Session, SignedInBy } from '../people/session-store.ts';
import { replaceSession } from '../people/sessions.ts';
import type { Store } from '../store.ts';
import { Challenges } from './challenges.ts';
import { challengeSeconds } from './passkey-values.ts';
import { findPasswordFault, type PasswordFault } from './password-rules.ts';
import { type PasskeyRequest, requireChallenge } from './sign-in.ts';

type Needs = Pick<Engines, 'store' | 'random'> & { readonly pepper: Buffer };
type SignedIn = { readonly session: Session; readonly person: Person };

const passkeysPerPerson = 20;
const passkeyNameLength = 100;

/** Makes the options with which a browser creates a passkey. */
export async function beginPasskeyRegistration(
  { store, random, passkeys, pepper }: Needs & Pick<Engines, 'passkeys'>,
  { session, person }: SignedIn,
  { site, now }: Omit<PasskeyRequest, 'boundTo'>,
) {
  const challenge = new Challenges(pepper).make(random, bindTo(session), now, challengeSeconds);
  const { handle, email, name } = person;
  const existing = await store.signInMethods.passkeys(person.id);
  return passkeys.makeRegistrationOptions({ site, challenge }, { handle, email, name: name || email }, existing);
}

/** Adds a passkey. In the session of a mailed link it becomes the only method; returns the secret of the next session. */
export async function registerPasskey(
  engines: Needs & Pick<Engines, 'passkeys'>,
  signedIn: SignedIn,
  response: unknown,
  request: Omit<PasskeyRequest, 'boundTo'> & { readonly name: string },
  browser: Browser,
): Promise<string> {
  const { session, person } = signedIn;
  const challenge = requireChallenge(engines, response, { boundTo: bindTo(session), now: request.now });
  const verified = await engines.passkeys.verifyRegistration(response, { site: request.site, challenge });
  if (verified.outcome === 'refused') throw new ExchangeError('sign_in_failed');
  const { credentialId, publicKey, counter, transports, isBackedUp } = verified;
  const name = request.name.trim().slice(0, passkeyNameLength) || 'Passkey';
  return changeMethods(engines, signedIn, { method: 'passkey' }, browser, async (tx) => {
    if ((await tx.signInMethods.passkeys(person.id)).length >= passkeysPerPerson) {
      throw new ExchangeError('invalid_input', `A person has at most ${passkeysPerPerson} passkeys. Remove one first.`);
    }
    const passkey = { credentialId, personId: person.id, publicKey, counter, transports, isBackedUp, name };
    if (!(await tx.signInMethods.insertPasskey(passkey))) throw new ExchangeError('sign_in_failed');
    return { action: 'passkey.added', details: { name }, added: { kind: 'passkey', name } };
  });
}

/** Sets the password; returns what is wrong with it, or the secret of the next session. */
export async function setPassword(
  engines: Needs & Pick<Engines, 'passwords' | 'policy'>,
  signedIn: SignedIn,
  password: string,
  browser: Browser,
): Promise<{ readonly fault: PasswordFault } | { readonly secret: string }> {
  const { person } = signedIn;
  const { operatorName } = engines.policy;
  const fault = findPasswordFault(password, { email: person.email, name: person.name, operatorName });
  if (fault !== undefined) return { fault };
  const hash = await engines.passwords.hash(password);
  const secret = await changeMethods(engines, signedIn, { method: 'password' }, browser, async (tx) => {
    await tx.signInMethods.setPassword(person.id, hash);
    return { action: 'password.set', details: {}, added: { kind: 'password' } };
  });
  return { secret };
}

/** A change of the sign-in methods, as the audit has it, and the method that it added, if any. */
export type MethodChange = UnattributedChange & { readonly added?: AddedMethod };

/**
 * Changes the sign-in methods of a person. A mailed link, the last resort, replaces all methods by the new one. Every
 * other session of the person and every link that was mailed to them end, and this session continues under another
 * secret, as one of the method that was added, if any. Somebody who could sign in before is told of a method that is new.
 */
export async function changeMethods(
  engines: Needs,
  { session, person }: SignedIn,
  added: SignedInBy | undefined,
  browser: Browser,
  change: (tx: Store) => Promise<MethodChange>,
): Promise<string> {
  // Somebody who knows only the password must not get around the code.
  if (session.stage === 'second_factor') throw new ExchangeError('sign_in_required');
  return engines.store.transaction(async (tx) => {
    await lockPerson(tx, person.id);
    const couldSignIn = await tx.signInMethods.hasAny(person.id);
    if (session.stage === 'enrolment') await tx.signInMethods.removeAll(person.id);
    const { added: addedMethod, ...changed } = await change(tx);
    // A mailed link is a proof; a change in the settings is none.
    const authenticatedAt = session.stage === 'enrolment' ? {} : { authenticatedAt: session.authenticatedAt };
    // A provider that began the session also ends it, whatever the person has added since.
    const { method, provider = session.provider } = added ?? session;
    const start = { stage: 'complete', method, provider, ...authenticatedAt } as const;
    const { id, secret } = await replaceSession(engines, tx, session, start, browser);
    await tx.sessions.end(person.id, { except: id });
    await tx.personLinks.end(person.id);
    if (addedMethod && couldSignIn) {
      const { address, userAgent } = browser;
      const notice = { id: engines.random.uuid(), personId: person.id, address, userAgent, added: addedMethod };
      await tx.sessions.enqueueNotice(notice);
    }
    await record(engines, tx, {
      accountId: serverAccountId,
      author: personAuthor(person, browser.address),
      ...changed,
    });
    return secret;
  });
}

/** A challenge for a new passkey is for one session. */
const bindTo = ({ id }: Session) => `registration ${id}`;
