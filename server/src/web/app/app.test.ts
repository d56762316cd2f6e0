import { describe, expect, test } from 'vitest';
import { AppBrowser } from '../../../test/app-browser.ts';
import { buildTestServer } from '../../../test/server.ts';
import { signInMember } from '../../../test/sign-in-member.ts';
import { SoftwareAuthenticator } from '../../../test/software-authenticator.ts';
import { useTestServer } from '../../../test/use-test-server.ts';
import { invitePerson } from '../../domain/people/invite-person.ts';
import { sendSignInNotice } from '../../domain/people/send-person-mails.ts';
import type { SignInNotice } from '../../domain/people/session-store.ts';
import type { Mail } from '../../domain/ports/mailer.ts';
import { computeTotp, deriveTotpSecret, toStep } from '../../domain/sign-in/totp.ts';
import { makeFormToken } from './shared/form-token.ts';

const { exchange, app } = await useTestServer();
const { engines } = exchange;
const { origin } = new URL(engines.policy.publicUrl);
const password = 'seven purple lanterns over Uppsala';
let count = 0;
const toBasic = ({ email, apiKey }: { email: string; apiKey: string }) =>
  `Basic ${Buffer.from(`${email}:${apiKey}`).toString('base64')}`;

async function invite(): Promise<{ email: string; path: string; personId: string }> {
  const email = `app-${(count += 1)}@example.org`;
  const { link = '', person } = await invitePerson(engines, engines.administrator, { email, mail: false });
  return { email, path: new URL(link).pathname, personId: person.id };
}

/** A browser that has opened an invitation. */
async function openInvitation() {
  const invited = await invite();
  const browser = new AppBrowser(app, engines.policy.publicUrl);
  await browser.get(invited.path);
  const opened = await browser.post(invited.path, { gesture: 'pressed' });
  expect(opened.headers.location).toBe('/sign-in/enrolment');
  await browser.get('/sign-in/enrolment');
  return { ...invited, browser };
}

/** A browser in which a person with a password has signed in. */
async function signIn() {
  const opened = await openInvitation();
  const enrolled = await opened.browser.post('/sign-in/enrolment/password', { name: 'Maya', password });
  expect(enrolled).toMatchObject({ statusCode: 303, headers: { location: '/home?welcome' } });
  return opened;
}

test('single keys are no shortcuts for a person who switched them off, and the help says where', async () => {
  const { browser, base } = await signInMember(exchange, app);
  expect((await browser.get(base)).body).toMatch(/data-shortcuts="on".*data-key="c"/s);
  const saved = await browser.post(`${base}settings/shortcuts`, {});
  expect(saved.headers.location).toBe(`${base}settings?notice=shortcuts_saved#keyboard`);
  const { body } = await browser.get(base);
  expect(body).toContain('data-shortcuts="off"');
  expect(body).not.toContain('aria-keyshortcuts');
  expect(body).toContain(`href="${base}settings#keyboard"`);
  await browser.post(`${base}settings/shortcuts`, { shortcuts: 'on' });
  expect((await browser.get(base)).body).toContain('data-shortcuts="on"');
});

describe('an invitation', () => {
  test('leads to a password, and then into the account', async () => {
    const { browser, email } = await signIn();
    const first = await browser.get('/home?welcome');
    expect(first.headers.location).toBe(`/${encodeURIComponent(email)}/welcome`);
    const home = await browser.get('/home');
    expect(home.headers.location).toBe(`/${encodeURIComponent(email)}/`);
    expect([...browser.cookies.keys()]).toContain('__Host-waybill_session');
  });

  test('leads to a passkey, which then signs in', async () => {
    const { browser } = await openInvitation();
    const authenticator = new SoftwareAuthenticator({ origin });
    const options = await browser.postJson('/sign-in/enrolment/passkey/options', { name: 'Maya' });
    const response = authenticator.register(options.json());
    const registered = await browser.postJson('/sign-in/enrolment/passkey', { response });
    expect(registered.json()).toEqual({ location: '/home?welcome' });

    const other = new AppBrowser(app, engines.policy.publicUrl);
    await other.get('/sign-in');
    const asked = await other.postJson('/sign-in/passkey/options', {});
    const signedIn = await other.postJson('/sign-in/passkey', { response: authenticator.signIn(asked.json()) });
    expect(signedIn.json()).toEqual({ location: '/home' });
    expect((await other.get('/home')).statusCode).toBe(303);
  });

  test('is not used up by a visit, nor by a scanner that posts its form', async () => {
    const { path } = await invite();
    const scanner = new AppBrowser(app, engines.policy.publicUrl);
    expect((await scanner.get(path)).statusCode).toBe(200);
    const posted = await scanner.post(path, { gesture: '' });
    expect(posted.statusCode).toBe(200);
    expect(posted.headers.location).toBeUndefined();
    const browser = new AppBrowser(app, engines.policy.publicUrl);
    await browser.get(path);
    expect((await browser.post(path, { gesture: 'pressed' })).statusCode).toBe(303);
    expect((await new AppBrowser(app, engines.policy.publicUrl).get(path)).statusCode, 'used').toBe(410);
  });
});

describe('signing in', () => {
  test('with a password, and out again', async () => {
    const { email } = await signIn();
    const browser = new AppBrowser(app, engines.policy.publicUrl);
    await browser.get('/sign-in?next=%2Fhome');
    const wrong = await browser.post('/sign-in', { email, password: 'something else entirely' });
    expect(wrong.statusCode).toBe(401);
    expect(wrong.body).toContain(`value="${email}"`);
    expect(wrong.body).not.toContain('something else');
    const right = await browser.post('/sign-in', { email, password, next: `/${email}/inbox` });
    expect(right).toMatchObject({ statusCode: 303, headers: { location: `/${email}/inbox` } });
    const secret = browser.cookies.get('__Host-waybill_session') ?? '';
    await browser.get('/home');
    // The page of the account holds the token; the sign-out form has it.
    browser.csrf = makeFormToken(secret);
    const out = await browser.post('/sign-out');
    expect(out.headers).toMatchObject({ location: '/sign-in?signed-out', 'clear-site-data': '"storage"' });
    browser.cookies.set('__Host-waybill_session', secret);
    expect((await browser.get('/home')).headers.location, 'the old cookie').toMatch(/^\/sign-in/);
  });

  test('leads nowhere else', async () => {
    const { email } = await signIn();
    const browser = new AppBrowser(app, engines.policy.publicUrl);
    const page = await browser.get('/sign-in?next=https%3A%2F%2Fevil.example');
    expect(page.body).not.toContain('evil.example');
    const right = await browser.post('/sign-in', { email, password, next: '//evil.example' });
    expect(right.headers.location).toBe('/home');
  });

  test('gives another cookie than the one that the browser came with', async () => {
    const { email } = await signIn();
    const browser = new AppBrowser(app, engines.policy.publicUrl);
    browser.cookies.set('__Host-waybill_session', 'A'.repeat(43));
    await browser.get('/sign-in');
    await browser.post('/sign-in', { email, password });
    expect(browser.cookies.get('__Host-waybill_session')).not.toBe('A'.repeat(43));
  });

  test('with an authenticator app asks for its code first', async () => {
    const { email, personId } = await signIn();
    await engines.store.signInMethods.insertAuthenticatorApp(personId, Buffer.alloc(32));
    await engines.store.signInMethods.acceptStep(personId, toStep(new Date()) - 5);
    const browser = new AppBrowser(app, engines.policy.publicUrl);
    await browser.get('/sign-in');
    const half = await browser.post('/sign-in', { email, password });
    expect(half.headers.location).toBe('/sign-in/code');
    expect((await browser.get('/home')).headers.location, 'not signed in yet').toMatch(/^\/sign-in/);
    await browser.get('/sign-in/code');
    expect((await browser.post('/sign-in/code', { code: '123456' })).statusCode).toBe(401);
    const statuses: number[] = [];
    while (statuses.length < 10) statuses.push((await browser.post('/sign-in/code', { code: '123456' })).statusCode);
    expect(statuses.at(-1), 'guesses are slowed down').toBe(429);
  });

  test('with a passkey that nobody has fails, and too many failures are refused', async () => {
    const tryToSignIn = async (server: typeof app) => {
      const browser = new AppBrowser(server, engines.policy.publicUrl);
      await browser.get('/sign-in');
      const asked = await browser.postJson('/sign-in/passkey/options', {});
      const response = new SoftwareAuthenticator({ origin }).signIn(asked.json());
      return (await browser.postJson('/sign-in/passkey', { response })).statusCode;
    };
    expect(await tryToSignIn(app)).toBe(401);
    const isRecord = ({ key }: { key: string }) => key.startsWith('failures:');
    const attemptLimit = {
      acquire: async (counts: readonly { key: string }[]) => (counts.some(isRecord) ? 0 : 60),
      release: async () => undefined,
    };
    const limited = buildTestServer(exchange, { attemptLimit });
    expect(await tryToSignIn(limited)).toBe(429);
    await limited.close();
  });
});

test('a browser deletes what it stored when another person signs in, and keeps it for the same one', async () => {
  const [one, other] = [await signIn(), await signIn()];
  const browser = new AppBrowser(app, engines.policy.publicUrl);
  const cleared: unknown[] = [];
  for (const { email } of [one, one, other]) {
    // The session has ended without a sign-out.
    browser.cookies.delete('__Host-waybill_session');
    await browser.get('/sign-in');
    cleared.push((await browser.post('/sign-in', { email, password })).headers['clear-site-data']);
  }
  expect(cleared).toEqual([undefined, undefined, '"storage"']);
});

describe('a sign-in in a new browser', () => {
  const findNotices = (personId: string) =>
    exchange.database.query<{ payload: Record<string, string> }>(
      `select payload from graphile_worker._private_jobs where payload ->> 'personId' = $1`,
      [personId],
    );

  test('is told to the person by mail, and one in a browser that they know is not', async () => {
    const { browser, email, personId } = await signIn();
    await browser.get('/home');
    await browser.post('/sign-out');
    await browser.get('/sign-in');
    await browser.post('/sign-in', { email, password });
    expect(await findNotices(personId)).toEqual([]);

    const other = new AppBrowser(app, engines.policy.publicUrl);
    await other.get('/sign-in');
    await other.post('/sign-in', { email, password });
    const [notice, ...more] = await findNotices(personId);
    expect(more).toEqual([]);
    const mails: Mail[] = [];
    const send = async (mail: Mail) => {
      mails.push(mail);
      return { outcome: 'sent' as const, response: '250 ok' };
    };
    const { at = '', ...payload } = notice?.payload ?? {};
    await sendSignInNotice({ ...engines, mailer: { send } }, { ...payload, at: new Date(at) } as SignInNotice);
    expect(mails).toEqual([expect.objectContaining({ to: email, subject: expect.stringContaining('New sign-in') })]);
    expect(mails[0]?.text).toContain('127.0.0.1');
  });
});

describe('the path of an account', () => {
  const accept = 'text/html,application/xhtml+xml';

  test('is the app for a person, and the index page for a program', async () => {
    const { browser, account } = await signInMember(exchange, app, 'reader');
    const path = `/${encodeURIComponent(account.email)}/`;
    const [person, program, stranger] = [
      await browser.send('GET', path, { headers: { accept } }),
      await browser.send('GET', path, { headers: { authorization: toBasic(account) } }),
      await app.inject({ url: path, headers: { host: new URL(origin).host } }),
    ];
    expect(person.statusCode).not.toBe(401);
    expect(program.body).toContain('name="csrftoken"');
    expect(stranger).toMatchObject({ statusCode: 401, headers: { 'www-authenticate': expect.any(String) } });
  });

  test('leads a browser without a session to the sign-in, and back', async () => {
    const browser = new AppBrowser(app, engines.policy.publicUrl);
    const response = await browser.send('GET', '/orders@example.org/', { headers: { accept } });
    expect(response.headers.location).toBe('/sign-in?next=%2Forders%40example.org%2F');
    const { body } = await browser.get('/sign-in?next=%2Forders%40example.org%2F');
    expect(body).toContain('Sign in to see this page.');
    expect(body).toContain('href="/sign-in?next=%2Forders%40example.org%2F&amp;lang=de"');
  });

  test('says that a session has ended only where somebody has signed in before', async () => {
    const { browser } = await signIn();
    browser.cookies.delete('__Host-waybill_session');
    const { body } = await browser.get('/sign-in?next=%2Forders%40example.org%2F');
    expect(body).toContain('You were signed out');
  });

  test('leads a person back to their account from a page that they cannot see', async () => {
    const { browser } = await signIn();
    const foreign = await browser.send('GET', '/orders@example.org/sent', { headers: { accept } });
    expect(foreign.statusCode).toBe(404);
    expect(foreign.body).toContain('href="/home"');
  });
});

describe('the settings of a person', () => {
  const toPath = (email: string) => `/${encodeURIComponent(email)}/`;
  const settings = (email: string) => `${toPath(email)}settings`;

  test('list the browsers in which they are signed in, and end the others', async () => {
    const { browser, email } = await signIn();
    const other = new AppBrowser(app, engines.policy.publicUrl);
    await other.get('/sign-in');
    await other.post('/sign-in', { email, password });
    const page = await browser.get(settings(email));
    expect(page.statusCode).toBe(200);
    expect(page.body.match(/action="[^"]*\/settings\/sessions\/end"/g)).toHaveLength(1);
    const ended = await browser.post(`${settings(email)}/sessions/end-others`);
    expect(ended.headers.location).toBe(`${settings(email)}?notice=sessions_ended#sessions`);
    expect((await other.get('/home')).headers.location).toMatch(/^\/sign-in/);
    expect((await browser.get('/home')).headers.location).toBe(toPath(email));
  });

  test('change the profile, and ignore a zone or language that does not exist', async () => {
    const { browser, email, personId } = await signIn();
    await browser.get(settings(email));
    await browser.post(`${settings(email)}/profile`, { name: 'Maya L', language: 'sv', time_zone: 'Europe/Stockholm' });
    const saved = { name: 'Maya L', language: 'sv', timeZone: 'Europe/Stockholm' };
    expect(await engines.store.people.byId(personId)).toMatchObject(saved);
    const audited = "select author_address from audit_entries where action = 'person.changed' and author_id = $1";
    expect(await exchange.database.query(audited, [personId])).toEqual([{ author_address: '127.0.0.1' }]);
    await browser.get(settings(email));
    await browser.post(`${settings(email)}/profile`, { name: ' ', language: '<b>', time_zone: 'Mars/Olympus' });
    expect(await engines.store.people.byId(personId)).toMatchObject(saved);
  });

  test('keep their language and time zone if the form for the profile is saved as it is', async () => {
    const { browser, email, personId } = await signIn();
    for (const [language, timeZone] of [
      ['', ''],
      ['pt-BR', 'Asia/Kolkata'],
      ['sv-FI', 'UTC'],
    ] as const) {
      await engines.store.people.setProfile(personId, { name: 'Maya', language, timeZone });
      const { body } = await browser.get(settings(email));
      const readSelected = (id: string) => {
        const [, options = ''] = new RegExp(`<select id="${id}"[^>]*>(.*?)</select>`, 's').exec(body) ?? [];
        const selected = /<option value(?:="([^"]*)")?[^>]* selected/.exec(options);
        // A browser takes the first option if none is selected.
        return selected ? (selected[1] ?? '') : 'none';
      };
      const shown = { language: readSelected('language'), time_zone: readSelected('time-zone') };
      expect(shown).toEqual({ language, time_zone: timeZone });
      await browser.post(`${settings(email)}/profile`, { name: 'Maya', ...shown });
      expect(await engines.store.people.byId(personId)).toMatchObject({ language, timeZone });
    }
  });

  test('say that a name could be mistaken for an address, and keep what was entered', async () => {
    const { browser, email, personId } = await signIn();
    await browser.get(settings(email));
    const before = await engines.store.people.byId(personId);
    const fields = { name: 'Maya \uff20 Acme', language: 'sv', time_zone: 'Europe/Stockholm' };
    const refused = await browser.post(`${settings(email)}/profile`, fields);
    expect(refused.statusCode).toBe(400);
    expect(refused.body).toContain('without @, quotation marks');
    expect(refused.body).toContain('value="Maya \uff20 Acme"');
    expect(await engines.store.people.byId(personId)).toEqual(before);
  });

  test('show times in the zone that the person chose', async () => {
    const { browser, email } = await signIn();
    await browser.get(settings(email));
    await browser.post(`${settings(email)}/profile`, { name: 'Maya', language: 'en', time_zone: 'Asia/Tokyo' });
    expect((await browser.get(settings(email))).body).toMatch(/<time [^>]*title="[^"]*GMT\+9"/);
  });

  test('change the password only with the one before, and end every other session', async () => {
    const { browser, email } = await signIn();
    const other = new AppBrowser(app, engines.policy.publicUrl);
    await other.get('/sign-in');
    await other.post('/sign-in', { email, password });
    const next = 'eleven green lanterns over Malmö';
    const save = (current: string) =>
      browser.post(`${settings(email)}/password`, { current_password: current, new_password: next });
    await browser.get(settings(email));
    expect((await save('not the password')).statusCode).toBe(400);
    expect((await save(password)).headers.location).toContain('notice=password_saved');
    expect((await other.get('/home')).headers.location).toMatch(/^\/sign-in/);
    expect((await browser.get('/home')).headers.location).toBe(toPath(email));
  });

  test('slow down guesses of the password', async () => {
    const { browser, email } = await signIn();
    await browser.get(settings(email));
    const guess = () => browser.post(`${settings(email)}/password`, { current_password: 'x', new_password: 'y' });
    const statuses: number[] = [];
    while (statuses.length < 15) statuses.push((await guess()).statusCode);
    expect(statuses[0]).toBe(400);
    expect(statuses.at(-1)).toBe(429);
  });

  test('set up an authenticator app, show recovery codes once, and then ask for a code', async () => {
    const { browser, email, personId } = await signIn();
    await browser.get(settings(email));
    await browser.post(`${settings(email)}/authenticator/begin`);
    const page = await browser.get(`${settings(email)}/authenticator`);
    const again = await browser.get(`${settings(email)}/authenticator`);
    const readUri = (body: string) => /otpauth:[^"]+/.exec(body)?.[0];
    expect(readUri(page.body)).toBe(readUri(again.body));
    const added = await engines.store.signInMethods.authenticatorApp(personId);
    const secret = deriveTotpSecret(added?.salt ?? Buffer.alloc(0), personId, engines.pepper);
    const code = computeTotp(secret, toStep(new Date()));
    const wrong = code === '000000' ? '000001' : '000000';
    expect((await browser.post(`${settings(email)}/authenticator`, { code: wrong })).statusCode).toBe(401);
    const codes = await browser.post(`${settings(email)}/authenticator`, { code });
    expect(codes.body.match(/<code>[0-9A-Z]{5}-[0-9A-Z]{5}<\/code>/g)).toHaveLength(10);
    const other = new AppBrowser(app, engines.policy.publicUrl);
    await other.get('/sign-in');
    expect((await other.post('/sign-in', { email, password })).headers.location).toBe('/sign-in/code');
  });

  test('add, rename and remove sign-in methods, and record it', async () => {
    const { browser, email, personId } = await signIn();
    const read = () => browser.get(settings(email));
    const post = async (name: string, fields: Record<string, string> = {}) => {
      await read();
      const { statusCode } = await browser.post(`${settings(email)}/${name}`, fields);
      expect([200, 303], name).toContain(statusCode);
    };
    await read();
    const authenticator = new SoftwareAuthenticator({ origin });
    const options = await browser.postJson(`${settings(email)}/passkeys/options`, {});
    const response = authenticator.register(options.json());
    expect((await browser.postJson(`${settings(email)}/passkeys`, { response })).statusCode).toBe(200);
    const id = authenticator.credentialId.toString('base64url');
    await post('passkeys/rename', { id, name: 'The blue one' });

    await browser.post(`${settings(email)}/authenticator/begin`);
    await browser.get(`${settings(email)}/authenticator`);
    const { salt = Buffer.alloc(0) } = (await engines.store.signInMethods.authenticatorApp(personId)) ?? {};
    const code = computeTotp(deriveTotpSecret(salt, personId, engines.pepper), toStep(new Date()));
    const { body } = await browser.post(`${settings(email)}/authenticator`, { code });
    const recoveryCode = /<code>([0-9A-Z]{5}-[0-9A-Z]{5})<\/code>/.exec(body)?.[1] ?? '';
    const other = new AppBrowser(app, engines.policy.publicUrl);
    await other.get('/sign-in');
    await other.post('/sign-in', { email, password });
    await other.get('/sign-in/code');
    expect((await other.post('/sign-in/code', { recovery_code: recoveryCode })).statusCode).toBe(303);
    const sessions = await engines.store.sessions.ofPerson(personId, 3600, 10);
    const [newest] = sessions.toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime());
    await post('sessions/end', { id: newest?.id ?? '' });

    await post('recovery-codes');
    await post('authenticator/remove');
    await post('password/remove');
    const restored = 'eleven green lanterns over Malmö';
    await post('password', { new_password: restored });
    await post('passkeys/remove', { id });
    const entries = await exchange.database.query<{ action: string }>(
      'select action from audit_entries where author_id = $1 order by sequence',
      [personId],
    );
    expect(entries.map(({ action }) => action)).toEqual([
      'person.link_opened',
      'password.set',
      'passkey.added',
      'passkey.renamed',
      'authenticator_app.added',
      'person.signed_in',
      'session.ended',
      'recovery_codes.renewed',
      'authenticator_app.removed',
      'password.removed',
      'password.set',
      'passkey.removed',
    ]);
  });

  test('ask for a recent sign-in before a change of methods, and lead back', async () => {
    const { browser, email, personId } = await signIn();
    await browser.get(settings(email));
    const makeOld = "update sessions set authenticated_at = now() - interval '11 minutes' where person_id = $1";
    await exchange.database.query(makeOld, [personId]);
    const confirm = `/sign-in?confirm&next=${encodeURIComponent(`${settings(email)}?again`)}`;
    const asked = await browser.post(`${settings(email)}/recovery-codes`);
    expect(asked.headers.location).toBe(confirm);
    const scripted = await browser.postJson(`${settings(email)}/passkeys/options`, {});
    expect(scripted.statusCode).toBe(401);
    expect(scripted.json()).toEqual({ location: confirm });
    expect((await browser.get(confirm)).body).toContain(`value="${email}"`);
    const again = await browser.post('/sign-in', { email, password, next: settings(email) });
    expect(again.headers.location).toBe(settings(email));
    await browser.get(settings(email));
    expect((await browser.postJson(`${settings(email)}/passkeys/options`, {})).statusCode).toBe(200);
    expect(await engines.store.sessions.ofPerson(personId, 3600, 10), 'the one before has ended').toHaveLength(1);
  });

  test('do not remove the only way to sign in', async () => {
    const { browser, email } = await signIn();
    await browser.get(settings(email));
    const kept = await browser.post(`${settings(email)}/password/remove`);
    expect(kept.headers.location).toContain('notice=only_method');
    expect((await browser.get('/home')).headers.location).toBe(toPath(email));
  });

  test('of another account do not exist, and those of a shared one do', async () => {
    const { browser, personId } = await signIn();
    const { email: stranger } = await signIn();
    expect((await browser.get(settings(stranger))).statusCode).toBe(404);
    expect((await browser.get(settings('nobody@example.org'))).statusCode).toBe(404);
    const shared = await exchange.account();
    await engines.store.people.setMembership(shared.accountId, personId, 'reader');
    expect((await browser.get(settings(shared.email))).statusCode).toBe(200);
    await engines.store.people.removeMembership(shared.accountId, personId);
    expect((await browser.get(settings(shared.email))).statusCode).toBe(404);
  });
});

test('the recovery page says the same to everybody', async () => {
  const { email } = await signIn();
  const browser = new AppBrowser(app, engines.policy.publicUrl);
  await browser.get('/sign-in/recover');
  const [known, unknown] = [
    await browser.post('/sign-in/recover', { email }),
    await browser.post('/sign-in/recover', { email: email.replace('app', 'nobody') }),
  ];
  const plain = (body: string) => body.replaceAll(/(?:app|nobody)-\d+/g, 'x');
  expect(plain(unknown.body)).toBe(plain(known.body));
  expect(known.statusCode).toBe(unknown.statusCode);
});

test('the app can be installed, under the name and colour of its operator', async () => {
  const { browser } = await signIn();
  const page = await browser.get('/sign-in?confirm');
  expect(page.body).toContain('<link rel="manifest" href="/manifest.webmanifest"/>');
  expect(page.headers['content-security-policy']).toContain("manifest-src 'self'");
  const manifest = await browser.get('/manifest.webmanifest');
  expect(manifest.headers['content-type']).toBe('application/manifest+json; charset=utf-8');
  expect(manifest.json()).toMatchObject({ name: 'Waybill', start_url: '/home', theme_color: '#0b5d63' });
  expect(manifest.json().icons).toHaveLength(2);
});
