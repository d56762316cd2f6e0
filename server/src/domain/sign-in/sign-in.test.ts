import { describe, expect, test, vi } from 'vitest';
import { useTestExchange } from '../../../test/exchange.ts';
import { SoftwareAuthenticator } from '../../../test/software-authenticator.ts';
import { toBrowser } from '../people/browser.ts';
import { invitePerson } from '../people/invite-person.ts';
import { findPersonLink, openPersonLink } from '../people/open-person-link.ts';
import { recoverPerson } from '../people/recover-person.ts';
import { findSession, type SignedIn } from '../people/sessions.ts';
import { toPasskeySite } from './passkey-values.ts';
import { digestRecoveryCode, newRecoveryCodes } from './recovery-codes.ts';
import { beginPasskeyRegistration, registerPasskey, setPassword } from './register-method.ts';
import { beginPasskeySignIn, passSecondFactor, signInWithPasskey, signInWithPassword } from './sign-in.ts';
import { computeTotp, deriveTotpSecret, newTotpSalt, toStep } from './totp.ts';

const exchange = await useTestExchange();
const { engines } = exchange;
const { store, random, pepper, administrator } = engines;
const { query } = exchange.database;
const browser = toBrowser('192.0.2.7', 'Firefox');
const origin = 'https://files.example.org';
const site = toPasskeySite(origin, 'Waybill');
const password = 'seven purple lanterns over Uppsala';
const now = new Date('2026-11-17T12:00:00Z');
const failed = { code: 'sign_in_failed' };
let count = 0;

/** The session of a person who has just opened their invitation. */
async function invite(): Promise<SignedIn> {
  const email = `sign-in-${(count += 1)}@example.org`;
  const { link = '' } = await invitePerson(engines, administrator, { email, mail: false });
  return openSession(link);
}

async function openSession(link: string): Promise<SignedIn> {
  const found = await findPersonLink(engines, link.slice(link.lastIndexOf('/') + 1));
  return requireSession(await openPersonLink(engines, found, browser));
}

async function requireSession(secret: string): Promise<SignedIn> {
  const found = await findSession(engines, secret);
  if (!found) throw new Error('there is no session');
  return found;
}

async function enrolWithPassword(signedIn: SignedIn): Promise<SignedIn> {
  const outcome = await setPassword(engines, signedIn, password, browser);
  if ('fault' in outcome) throw new Error(outcome.fault);
  return requireSession(outcome.secret);
}

async function enrolWithPasskey(signedIn: SignedIn, authenticator: SoftwareAuthenticator): Promise<string> {
  const options = await beginPasskeyRegistration(engines, signedIn, { site, now });
  const response = authenticator.register(options);
  return registerPasskey(engines, signedIn, response, { site, now, name: 'Laptop' }, browser);
}

const enter = (email: string, typed = password) => signInWithPassword(engines, { email, password: typed }, browser);

describe('a password', () => {
  test('that was set in an invitation signs in, whatever the case of the address', async () => {
    const signedIn = await enrolWithPassword(await invite());
    expect(signedIn.session).toMatchObject({ stage: 'complete', method: 'password' });
    const begun = await enter(` ${signedIn.person.email.toUpperCase()}`);
    expect(begun.isComplete).toBe(true);
    expect(await findSession(engines, begun.secret)).toMatchObject({ person: { id: signedIn.person.id } });
    const [entry] = await query(
      'select author_kind, author_name from audit_entries where action = $1 and author_id = $2',
      ['person.signed_in', signedIn.person.id],
    );
    expect(entry).toEqual({ author_kind: 'person', author_name: signedIn.person.email });
  });

  test('that is wrong, of nobody, of a disabled person or of one without a password, fails alike', async () => {
    const { person } = await enrolWithPassword(await invite());
    const { person: without } = await invite();
    await expect(enter(person.email, 'another password altogether')).rejects.toMatchObject(failed);
    await expect(enter('nobody@example.org')).rejects.toMatchObject(failed);
    await expect(enter(without.email)).rejects.toMatchObject(failed);
    await store.people.setDisabled(person.id, true);
    await expect(enter(person.email)).rejects.toMatchObject(failed);
  });

  test('takes the same queries and the same work for nobody as for somebody', async () => {
    const { person } = await enrolWithPassword(await invite());
    const lookUp = vi.spyOn(store.signInMethods, 'password');
    const work = vi.spyOn(engines.passwords, 'verify');
    const countCalls = async (email: string) => {
      await expect(enter(email, 'another password altogether')).rejects.toMatchObject(failed);
      const calls = [lookUp.mock.calls.length, work.mock.calls.length];
      lookUp.mockClear();
      work.mockClear();
      return calls;
    };
    expect(await countCalls(person.email)).toEqual([1, 1]);
    expect(await countCalls('nobody@example.org')).toEqual([1, 1]);
    expect(await countCalls('not an address')).toEqual([1, 1]);
    vi.restoreAllMocks();
  });

  test('that is changed while it is checked signs nobody in', async () => {
    const { person } = await enrolWithPassword(await invite());
    const { passwords } = engines;
    const verify = vi.spyOn(passwords, 'verify').mockImplementationOnce(async () => {
      await store.signInMethods.setPassword(person.id, await passwords.hash('nine orange kites above Lund'));
      return true;
    });
    await expect(enter(person.email)).rejects.toMatchObject(failed);
    verify.mockRestore();
  });

  test('is that of an address however its domain is typed', async () => {
    const { link = '' } = await invitePerson(engines, administrator, { email: 'anna@bücher.example', mail: false });
    const { person } = await enrolWithPassword(await openSession(link));
    expect(person.email).toBe('anna@xn--bcher-kva.example');
    expect(await enter('Anna@BÜCHER.example')).toMatchObject({ personId: person.id });
    expect(await enter('anna@xn--bcher-kva.example')).toMatchObject({ personId: person.id });
  });

  test('that is too short, or the person’s own address, is refused, and the invitation goes on', async () => {
    const signedIn = await invite();
    expect(await setPassword(engines, signedIn, 'short', browser)).toEqual({ fault: 'too_short' });
    expect(await setPassword(engines, signedIn, signedIn.person.email, browser)).toEqual({ fault: 'personal' });
    await enrolWithPassword(signedIn);
  });

  test('that is set again ends every other session', async () => {
    const first = await enrolWithPassword(await invite());
    const other = await enter(first.person.email);
    await enrolWithPassword(first);
    expect(await findSession(engines, other.secret)).toBeUndefined();
  });
});

describe('an authenticator app', () => {
  async function addApp() {
    const { person } = await enrolWithPassword(await invite());
    const salt = newTotpSalt(random);
    await store.signInMethods.insertAuthenticatorApp(person.id, salt);
    const secret = deriveTotpSecret(salt, person.id, pepper);
    await store.signInMethods.acceptStep(person.id, toStep(now) - 10);
    return { person, code: (at: Date) => computeTotp(secret, toStep(at)) };
  }

  test('is asked for a code, which works once', async () => {
    const { person, code } = await addApp();
    const begun = await enter(person.email);
    expect(begun.isComplete).toBe(false);
    const half = await requireSession(begun.secret);
    expect(half.session.stage).toBe('second_factor');
    await expect(passSecondFactor(engines, half, { code: '000000' }, browser, now)).rejects.toMatchObject(failed);
    const secret = await passSecondFactor(engines, half, { code: code(now) }, browser, now);
    expect(await requireSession(secret)).toMatchObject({ session: { stage: 'complete' } });
    expect(await findSession(engines, begun.secret), 'the half session').toBeUndefined();
    const again = await requireSession((await enter(person.email)).secret);
    await expect(passSecondFactor(engines, again, { code: code(now) }, browser, now)).rejects.toMatchObject(failed);
  });

  test('can be replaced by a recovery code, which works once', async () => {
    const { person } = await addApp();
    const codes = newRecoveryCodes(random);
    const digests = codes.map((each) => digestRecoveryCode(each, person.id, pepper) as Buffer);
    await store.signInMethods.setRecoveryCodes(person.id, digests);
    const recoveryCode = (codes[3] ?? '').toLowerCase().replace('-', ' ');
    const pass = async () => {
      const half = await requireSession((await enter(person.email)).secret);
      return passSecondFactor(engines, half, { recoveryCode }, browser, now);
    };
    await pass();
    await expect(pass()).rejects.toMatchObject(failed);
    expect(await store.signInMethods.countRecoveryCodes(person.id)).toBe(codes.length - 1);
  });
});

describe('a passkey', () => {
  const request = (boundTo = 'browser') => ({ site, boundTo, now });

  test('that was registered in an invitation signs in, and its response works once', async () => {
    const authenticator = new SoftwareAuthenticator({ origin });
    const signedIn = await invite();
    const enrolled = await requireSession(await enrolWithPasskey(signedIn, authenticator));
    expect(enrolled.session).toMatchObject({ stage: 'complete', method: 'passkey' });
    const response = authenticator.signIn(await beginPasskeySignIn(engines, request()));
    const { secret } = await signInWithPasskey(engines, response, request(), browser);
    expect(await requireSession(secret)).toMatchObject({ person: { id: signedIn.person.id } });
    await expect(signInWithPasskey(engines, response, request(), browser)).rejects.toMatchObject(failed);
  });

  test('does not sign in for another browser, later, elsewhere, or without its counter', async () => {
    const authenticator = new SoftwareAuthenticator({ origin });
    await enrolWithPasskey(await invite(), authenticator);
    const make = async (deviation = {}) =>
      authenticator.signIn(await beginPasskeySignIn(engines, request()), deviation);
    const late = { ...request(), now: new Date(now.getTime() + 3_600_000) };
    await expect(signInWithPasskey(engines, await make(), request('another'), browser)).rejects.toMatchObject(failed);
    await expect(signInWithPasskey(engines, await make(), late, browser)).rejects.toMatchObject(failed);
    const foreign = await make({ origin: 'https://evil.example' });
    await expect(signInWithPasskey(engines, foreign, request(), browser)).rejects.toMatchObject(failed);
    await signInWithPasskey(engines, await make({ counter: 50 }), request(), browser);
    await expect(signInWithPasskey(engines, await make({ counter: 50 }), request(), browser)).rejects.toMatchObject(
      failed,
    );
    await expect(signInWithPasskey(engines, {}, request(), browser)).rejects.toMatchObject(failed);
  });

  test('of a disabled person does not sign in', async () => {
    const authenticator = new SoftwareAuthenticator({ origin });
    const { person } = await invite();
    const again = await invitePerson(engines, administrator, { email: person.email, mail: false });
    await enrolWithPasskey(await openSession(again.link ?? ''), authenticator);
    await store.people.setDisabled(person.id, true);
    const response = authenticator.signIn(await beginPasskeySignIn(engines, request()));
    await expect(signInWithPasskey(engines, response, request(), browser)).rejects.toMatchObject(failed);
  });

  test('is registered only in the session that asked for it, and once', async () => {
    const [first, second] = [await invite(), await invite()];
    const authenticator = new SoftwareAuthenticator({ origin });
    const response = authenticator.register(await beginPasskeyRegistration(engines, first, { site, now }));
    const about = { site, now, name: '' };
    await expect(registerPasskey(engines, second, response, about, browser)).rejects.toMatchObject(failed);
    await registerPasskey(engines, first, response, about, browser);
    await expect(registerPasskey(engines, first, response, about, browser)).rejects.toMatchObject({
      code: 'sign_in_required',
    });
  });
});

test('a recovery replaces every method, and signs out everywhere', async () => {
  const signedIn = await enrolWithPassword(await invite());
  const { person } = signedIn;
  const other = await enter(person.email);
  await recoverPerson(engines, person.email);
  const [row] = await query<{ id: string }>('select id from person_links where person_id = $1 and used_at is null', [
    person.id,
  ]);
  const recovery = await openSession(engines.personLinks.toUrl(row?.id ?? ''));
  expect(await findSession(engines, other.secret), 'nothing changes before a method is chosen').toBeDefined();
  const authenticator = new SoftwareAuthenticator({ origin });
  await enrolWithPasskey(recovery, authenticator);
  expect(await findSession(engines, other.secret)).toBeUndefined();
  await expect(enter(person.email)).rejects.toMatchObject(failed);
});
