import { describe, expect, test } from 'vitest';
import { useTestExchange } from '../../../test/exchange.ts';
import { SoftwareAuthenticator } from '../../../test/software-authenticator.ts';
import { toBrowser } from '../people/browser.ts';
import { changeAsPerson } from '../people/change-as-person.ts';
import { setPersonDisabled } from '../people/find-person.ts';
import { invitePerson } from '../people/invite-person.ts';
import { findPersonLink, openPersonLink } from '../people/open-person-link.ts';
import { makeRecoveryLink } from '../people/recover-person.ts';
import { beginSession, findSession, type SignedIn } from '../people/sessions.ts';
import {
  beginAuthenticatorApp,
  confirmAuthenticatorApp,
  findUnconfirmedApp,
  renewRecoveryCodes,
} from './add-authenticator-app.ts';
import { toPasskeySite } from './passkey-values.ts';
import { digestRecoveryCode } from './recovery-codes.ts';
import { beginPasskeyRegistration, registerPasskey, setPassword } from './register-method.ts';
import { removeMethod } from './remove-method.ts';
import { passSecondFactor } from './sign-in.ts';
import { signInWithProvider } from './sign-in-with-provider.ts';
import { computeTotp, deriveTotpSecret, encodeBase32, toStep } from './totp.ts';

const exchange = await useTestExchange();
const { engines } = exchange;
const { store, random, pepper, administrator } = engines;
const browser = toBrowser('192.0.2.7', 'Firefox');
const origin = 'https://files.example.org';
const now = new Date('2026-11-17T12:00:00Z');
const invalid = { code: 'invalid_input' };
let count = 0;

async function requireSession(secret: string): Promise<SignedIn> {
  const found = await findSession(engines, secret);
  if (!found) throw new Error('there is no session');
  return found;
}

async function invite(): Promise<SignedIn> {
  const email = `methods-${(count += 1)}@example.org`;
  const { link = '' } = await invitePerson(engines, administrator, { email, mail: false });
  const found = await findPersonLink(engines, link.slice(link.lastIndexOf('/') + 1));
  return requireSession(await openPersonLink(engines, found, browser));
}

async function addPassword(signedIn: SignedIn): Promise<SignedIn> {
  const outcome = await setPassword(engines, signedIn, 'seven purple lanterns over Uppsala', browser);
  if ('fault' in outcome) throw new Error(outcome.fault);
  return requireSession(outcome.secret);
}

async function addPasskey(signedIn: SignedIn): Promise<{ signedIn: SignedIn; credentialId: Buffer }> {
  const authenticator = new SoftwareAuthenticator({ origin });
  const site = toPasskeySite(origin, 'Waybill');
  const response = authenticator.register(await beginPasskeyRegistration(engines, signedIn, { site, now }));
  const secret = await registerPasskey(engines, signedIn, response, { site, now, name: 'Laptop' }, browser);
  return { signedIn: await requireSession(secret), credentialId: authenticator.credentialId };
}

/** The code that the app of a person shows. */
async function readCode(personId: string, at = now): Promise<string> {
  const app = await store.signInMethods.authenticatorApp(personId);
  return computeTotp(deriveTotpSecret(app?.salt ?? Buffer.alloc(0), personId, pepper), toStep(at));
}

async function addApp(signedIn: SignedIn) {
  await beginAuthenticatorApp(engines, signedIn.person);
  const code = await readCode(signedIn.person.id);
  const { secret, recoveryCodes } = await confirmAuthenticatorApp(engines, signedIn, { code, now }, browser);
  return { signedIn: await requireSession(secret), recoveryCodes, code };
}

/** Another session of the same person, at any stage. */
async function openAnother({ person }: SignedIn, stage: 'complete' | 'second_factor' = 'complete') {
  const { secret } = await beginSession(engines, store, { personId: person.id, stage, method: 'password' }, browser);
  return requireSession(secret);
}

const isLive = async ({ session, person }: SignedIn) => (await store.sessions.end(person.id, { id: session.id })) === 1;

describe('an authenticator app', () => {
  test('is added with its first code, and comes with ten recovery codes', async () => {
    const signedIn = await addPassword(await invite());
    const { id, email } = signedIn.person;
    const { uri, secret } = await beginAuthenticatorApp(engines, signedIn.person);
    const app = await store.signInMethods.authenticatorApp(id);
    expect(secret).toBe(encodeBase32(deriveTotpSecret(app?.salt ?? Buffer.alloc(0), id, pepper)));
    expect(decodeURIComponent(uri)).toContain(`otpauth://totp/Acme Files:${email}?secret=${secret}`);
    expect(app?.isConfirmed).toBe(false);
    expect(await findUnconfirmedApp(engines, signedIn.person)).toEqual({ uri, secret });

    const other = await openAnother(signedIn);
    const code = await readCode(id);
    const { recoveryCodes } = await confirmAuthenticatorApp(engines, signedIn, { code, now }, browser);
    expect(recoveryCodes).toHaveLength(10);
    expect(await store.signInMethods.countRecoveryCodes(id)).toBe(10);
    const used = digestRecoveryCode(recoveryCodes[4] ?? '', id, pepper) as Buffer;
    expect(await store.signInMethods.useRecoveryCode(id, used)).toBe(true);
    expect((await store.signInMethods.authenticatorApp(id))?.lastStep).toBe(toStep(now));
    expect(await findUnconfirmedApp(engines, signedIn.person)).toBeUndefined();
    expect(await isLive(other)).toBe(false);
  });

  test('is not added by a wrong code, which can be tried again', async () => {
    const signedIn = await addPassword(await invite());
    await beginAuthenticatorApp(engines, signedIn.person);
    const later = await readCode(signedIn.person.id, new Date(now.getTime() + 600_000));
    const confirm = (code: string) => confirmAuthenticatorApp(engines, signedIn, { code, now }, browser);
    await expect(confirm(later)).rejects.toMatchObject({ code: 'sign_in_failed' });
    expect((await store.signInMethods.authenticatorApp(signedIn.person.id))?.isConfirmed).toBe(false);
    expect(await store.signInMethods.countRecoveryCodes(signedIn.person.id)).toBe(0);
    await confirm(await readCode(signedIn.person.id));
  });

  test('has another secret each time it is begun, until it is added', async () => {
    const signedIn = await addPassword(await invite());
    const first = await beginAuthenticatorApp(engines, signedIn.person);
    expect((await beginAuthenticatorApp(engines, signedIn.person)).secret).not.toBe(first.secret);
    const { signedIn: next, code } = await addApp(signedIn);
    await expect(beginAuthenticatorApp(engines, next.person)).rejects.toMatchObject(invalid);
    await expect(confirmAuthenticatorApp(engines, next, { code, now }, browser)).rejects.toMatchObject(invalid);
  });

  test('needs a password, and its codes need an app', async () => {
    const { signedIn } = await addPasskey(await invite());
    await expect(beginAuthenticatorApp(engines, signedIn.person)).rejects.toMatchObject(invalid);
    await expect(renewRecoveryCodes(engines, signedIn, browser)).rejects.toMatchObject(invalid);
    const code = '123456';
    await expect(confirmAuthenticatorApp(engines, signedIn, { code, now }, browser)).rejects.toMatchObject(invalid);
  });

  test('gets new recovery codes, and the old ones stop working', async () => {
    const { signedIn, recoveryCodes } = await addApp(await addPassword(await invite()));
    const renewed = await renewRecoveryCodes(engines, signedIn, browser);
    const { id } = signedIn.person;
    const use = (code = '') => store.signInMethods.useRecoveryCode(id, digestRecoveryCode(code, id, pepper) as Buffer);
    expect(await use(recoveryCodes[0])).toBe(false);
    expect(await use(renewed.recoveryCodes[0])).toBe(true);
  });
});

describe('a method', () => {
  test('is removed, which ends every other session', async () => {
    const { signedIn: first, credentialId } = await addPasskey(await addPassword(await invite()));
    const other = await openAnother(first);
    const signedIn = await requireSession(await removeMethod(engines, first, { passkey: credentialId }, browser));
    expect(await store.signInMethods.passkeys(first.person.id)).toEqual([]);
    expect([await isLive(other), await isLive(first)]).toEqual([false, false]);
    expect(signedIn.session).toMatchObject({ stage: 'complete', method: first.session.method });
  });

  test('stays if it is the only one', async () => {
    const signedIn = await addPassword(await invite());
    await expect(removeMethod(engines, signedIn, 'password', browser)).rejects.toMatchObject(invalid);
    expect(await store.signInMethods.password(signedIn.person.id)).toBeDefined();
    const { signedIn: other, credentialId } = await addPasskey(await invite());
    await expect(removeMethod(engines, other, { passkey: credentialId }, browser)).rejects.toMatchObject(invalid);
    expect(await store.signInMethods.passkeys(other.person.id)).toHaveLength(1);
  });

  test('of another person is none', async () => {
    const { credentialId } = await addPasskey(await invite());
    const signedIn = await addPassword(await invite());
    const missing = { code: 'not_found' };
    await expect(removeMethod(engines, signedIn, { passkey: credentialId }, browser)).rejects.toMatchObject(missing);
    expect(await store.signInMethods.passkey(credentialId)).toBeDefined();
    const identity = { issuer: 'https://id.example', subject: random.uuid() };
    const owner = await addPassword(await invite());
    await store.signInMethods.insertIdentity(owner.person.id, { ...identity, provider: 'example', label: '' });
    await expect(removeMethod(engines, signedIn, { identity }, browser)).rejects.toMatchObject(missing);
    await removeMethod(engines, owner, { identity }, browser);
    expect(await store.signInMethods.identities(owner.person.id)).toEqual([]);
  });

  test('takes along what is worth nothing without it', async () => {
    const { signedIn } = await addPasskey((await addApp(await addPassword(await invite()))).signedIn);
    const { id } = signedIn.person;
    const methods = store.signInMethods;
    await removeMethod(engines, signedIn, 'password', browser);
    expect(await methods.password(id)).toBeUndefined();
    expect(await methods.authenticatorApp(id)).toBeUndefined();
    expect(await methods.countRecoveryCodes(id)).toBe(0);
    expect(await methods.passkeys(id)).toHaveLength(1);
  });

  test('is not changed by somebody who entered only the password', async () => {
    const { signedIn } = await addApp(await addPassword(await invite()));
    const half = await openAnother(signedIn, 'second_factor');
    const refused = { code: 'sign_in_required' };
    await expect(removeMethod(engines, half, 'authenticator_app', browser)).rejects.toMatchObject(refused);
    await expect(renewRecoveryCodes(engines, half, browser)).rejects.toMatchObject(refused);
    await expect(setPassword(engines, half, 'nine orange kites above Lund', browser)).rejects.toMatchObject(refused);
    expect((await store.signInMethods.authenticatorApp(signedIn.person.id))?.isConfirmed).toBe(true);
    await removeMethod(engines, signedIn, 'authenticator_app', browser);
    expect(await store.signInMethods.authenticatorApp(signedIn.person.id)).toBeUndefined();
  });
});

describe('a change of the methods', () => {
  test('ends the links that were mailed before, and a person who is disabled has none', async () => {
    const signedIn = await addPassword(await invite());
    const openRecovery = async () => {
      const link = await makeRecoveryLink(engines, administrator, signedIn.person, { mail: false });
      return findPersonLink(engines, link.slice(link.lastIndexOf('/') + 1));
    };
    const before = await openRecovery();
    const { signedIn: later } = await addPasskey(signedIn);
    await expect(openPersonLink(engines, before, browser)).rejects.toMatchObject({ code: 'link_ended' });
    const open = await openRecovery();
    await setPersonDisabled(engines, administrator, later.person, true);
    await setPersonDisabled(engines, administrator, later.person, false);
    await expect(openPersonLink(engines, open, browser)).rejects.toMatchObject({ code: 'link_ended' });
  });

  test('tells the person what was added, if they could sign in before', async () => {
    const readTold = (personId: string) =>
      exchange.database.query(
        `select payload -> 'added' as added from graphile_worker._private_jobs as jobs
          join graphile_worker._private_tasks as tasks on tasks.id = jobs.task_id
          where identifier = 'send-sign-in-notice' and payload ->> 'personId' = $1`,
        [personId],
      );
    const signedIn = await addPassword(await invite());
    expect(await readTold(signedIn.person.id), 'the first method').toEqual([]);
    await addPasskey(signedIn);
    expect(await readTold(signedIn.person.id)).toEqual([{ added: { kind: 'passkey', name: 'Laptop' } }]);
  });

  /** Runs a sign-in that is held just before it ends, until the change is done or waits for it. */
  async function changeDuring(
    signedIn: SignedIn,
    signIn: (slow: typeof engines) => Promise<string>,
    change: () => Promise<unknown> = () => addPasskey(signedIn),
  ) {
    const { promise: isHeld, resolve: hold } = Promise.withResolvers<void>();
    const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
    const transaction: typeof store.transaction = (work) =>
      store.transaction(async (tx) => {
        const result = await work(tx);
        hold();
        await isReleased;
        return result;
      });
    const secret = signIn({ ...engines, store: { ...store, transaction } });
    await isHeld;
    const changed = change().finally(release);
    const isWaiting = async () =>
      (
        await exchange.database.query(`select 1 from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`)
      ).length > 0;
    await Promise.race([changed, expect.poll(isWaiting).toBe(true)]);
    release();
    await changed;
    return findSession(engines, await secret);
  }

  test('is not outlived by a code that was being entered', async () => {
    const { signedIn, recoveryCodes } = await addApp(await addPassword(await invite()));
    const halfway = await openAnother(signedIn, 'second_factor');
    const [recoveryCode = ''] = recoveryCodes;
    const left = await changeDuring(signedIn, (slow) =>
      passSecondFactor(slow, halfway, { recoveryCode }, browser, now),
    );
    expect(left).toBeUndefined();
  });

  test('that only ends other sessions is not outlived by one that gets another secret meanwhile', async () => {
    const { signedIn, recoveryCodes } = await addApp(await addPassword(await invite()));
    const { session, person } = signedIn;
    const halfway = await openAnother(signedIn, 'second_factor');
    const enter = (slow: typeof engines) =>
      passSecondFactor(slow, halfway, { recoveryCode: recoveryCodes[0] ?? '' }, browser, now);
    const endOthers = () =>
      changeAsPerson(engines, { person, browser }, 'sessions.ended', async (tx) => {
        await tx.sessions.end(person.id, { except: session.id });
        return {};
      });
    expect(await changeDuring(signedIn, enter, endOthers)).toBeUndefined();

    const issuer = 'https://id.example';
    const sid = random.uuid();
    const start = { personId: person.id, stage: 'complete', method: 'provider', provider: { issuer, sid } } as const;
    const ofProvider = await requireSession((await beginSession(engines, store, start, browser)).secret);
    const renew = async (slow: typeof engines) => (await renewRecoveryCodes(slow, ofProvider, browser)).secret;
    const logOut = () => store.transaction((tx) => tx.sessions.endOfProvider(issuer, { sid }));
    expect(await changeDuring(ofProvider, renew, logOut)).toBeUndefined();
  });

  test('is not outlived by a sign-in through a provider, or by a link that was being opened', async () => {
    const signedIn = await addPassword(await invite());
    const unsaid = { email: undefined, emailVerified: undefined, name: undefined, language: undefined };
    const none = { sid: undefined, groups: undefined, creationClaim: undefined };
    const claims = { provider: 'staff', issuer: 'https://id.example', subject: random.uuid(), ...unsaid, ...none };
    await store.signInMethods.insertIdentity(signedIn.person.id, { ...claims, label: '' });
    const rules = { id: 'staff', name: 'Staff', requireEmailVerified: true, createPeople: undefined, memberships: [] };
    const singleUse = { digest: random.bytes(32), seconds: 60 };
    const byProvider = await changeDuring(signedIn, async (slow) => {
      const completed = { claims, returnTo: '/home', personId: undefined, singleUse };
      const outcome = await signInWithProvider(slow, rules, completed, browser);
      if (outcome.outcome !== 'signed_in') throw new Error(outcome.outcome);
      return outcome.secret;
    });
    expect(byProvider).toBeUndefined();

    const other = await addPassword(await invite());
    const link = await makeRecoveryLink(engines, administrator, other.person, { mail: false });
    const found = await findPersonLink(engines, link.slice(link.lastIndexOf('/') + 1));
    expect(await changeDuring(other, (slow) => openPersonLink(slow, found, browser))).toBeUndefined();
  });

  test('ends a link whose opening has begun, and waits for it', async () => {
    const signedIn = await addPassword(await invite());
    const link = await makeRecoveryLink(engines, administrator, signedIn.person, { mail: false });
    const found = await findPersonLink(engines, link.slice(link.lastIndexOf('/') + 1));
    const transaction: typeof store.transaction = (work) =>
      store.transaction(async (tx) => {
        await addPasskey(signedIn);
        return work(tx);
      });
    const opened = openPersonLink({ ...engines, store: { ...store, transaction } }, found, browser);
    await expect(opened).rejects.toMatchObject({ code: 'link_ended' });
  });
});
