import { argon2 } from 'node:crypto';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { AppBrowser } from '../../../../test/app-browser.ts';
import { measureLongestTurn } from '../../../../test/longest-turn.ts';
import { buildTestServer } from '../../../../test/server.ts';
import { useTestServer } from '../../../../test/use-test-server.ts';
import { invitePerson } from '../../../domain/people/invite-person.ts';
import { beginSession } from '../../../domain/people/sessions.ts';
import { Passwords } from '../../../domain/sign-in/password.ts';
import { makeFormToken } from '../shared/form-token.ts';

const compute = vi.fn(argon2);
const { exchange } = await useTestServer();
const { pool } = exchange.database;
const { pepper, random } = exchange.engines;
const passwords = new Passwords(pepper, random, compute);
const engines = { ...exchange.engines, passwords };
const { store, administrator, policy } = engines;
const app = buildTestServer({ ...exchange, engines });
const password = 'seven purple lanterns over Uppsala';

function openBrowser(): AppBrowser {
  const browser = new AppBrowser(app, policy.publicUrl);
  const form = random.bytes(32).toString('base64url');
  browser.cookies.set('__Host-waybill_form', form);
  browser.csrf = makeFormToken(form);
  return browser;
}

/** All addresses have the same length, so that those of the responses can be compared. */
const newAddress = () => `${random.uuid()}@example.org`;

async function invite() {
  const { person } = await invitePerson(engines, administrator, { email: newAddress(), mail: false });
  return person;
}

async function inviteWithPassword() {
  const person = await invite();
  await store.signInMethods.setPassword(person.id, await passwords.hash(password));
  return person;
}

async function inviteDisabled() {
  const { id, email } = await inviteWithPassword();
  await store.people.setDisabled(id, true);
  return email;
}

describe('neither the words of a response nor the work for it tell who has an account here', () => {
  let known = '';
  let unknown: Record<string, string> = {};

  beforeAll(async () => {
    known = (await inviteWithPassword()).email;
    const withApp = await inviteWithPassword();
    await store.signInMethods.insertAuthenticatorApp(withApp.id, Buffer.alloc(32));
    await store.signInMethods.acceptStep(withApp.id, 1);
    const withPasskey = await invite();
    await store.signInMethods.insertPasskey({
      credentialId: random.bytes(16),
      personId: withPasskey.id,
      publicKey: random.bytes(32),
      counter: 0,
      transports: [],
      isBackedUp: false,
      name: 'Phone',
    });
    unknown = {
      'an address of nobody': newAddress(),
      'someone who has not accepted their invitation': (await invite()).email,
      'someone with a passkey only': withPasskey.email,
      'someone with an authenticator app': withApp.email,
      'someone who is disabled': await inviteDisabled(),
    };
  });

  /** Everything that a browser sees and what the server did for it, without the address itself and random values. */
  async function observe(path: string, email: string, typed: string) {
    const browser = openBrowser();
    compute.mockClear();
    let queries = 0;
    const count = () => (queries += 1);
    pool.on('acquire', count);
    const response = await browser.post(path, { email, password: typed });
    pool.off('acquire', count);
    const { date: _, ...headers } = response.headers;
    return {
      status: response.statusCode,
      headers,
      body: response.body.replaceAll(email, 'ADDRESS').replaceAll(browser.csrf, 'TOKEN'),
      queries,
      hashes: compute.mock.calls.map(([algorithm, { message, nonce: _nonce, ...cost }]) => ({
        algorithm,
        message,
        ...cost,
      })),
    };
  }

  test('when the password is wrong, or there is none', async () => {
    const wrong = 'eight green lanterns over Uppsala';
    const expected = await observe('/sign-in', known, wrong);
    expect(expected).toMatchObject({ status: 401, hashes: [{ message: wrong }] });
    for (const [who, email] of Object.entries(unknown)) {
      expect(await observe('/sign-in', email, wrong), who).toEqual(expected);
    }
  });

  test('when the password is right, and its person may not sign in', async () => {
    const expected = await observe('/sign-in', newAddress(), password);
    expect(expected.status).toBe(401);
    expect(await observe('/sign-in', await inviteDisabled(), password)).toEqual(expected);
  });

  test('when there were too many attempts', async () => {
    const refuse = async (email: string) => {
      for (let attempt = 0; attempt < 6; attempt += 1) await observe('/sign-in', email, 'wrong');
      const { status, headers, queries, hashes } = await observe('/sign-in', email, 'wrong');
      return { status, headers, queries, hashes };
    };
    const expected = await refuse((await inviteWithPassword()).email);
    expect(expected).toMatchObject({ status: 429, hashes: [] });
    expect(await refuse(newAddress())).toEqual(expected);
  });

  test('when someone asks for a link because they cannot sign in', async () => {
    const expected = await observe('/sign-in/recover', known, '');
    expect(expected.status).toBe(200);
    for (const [who, email] of Object.entries(unknown)) {
      expect(await observe('/sign-in/recover', email, ''), who).toEqual(expected);
    }
  });
});

test('two hundred sign-ins at once wait for their hashes, more are refused, and nobody else notices', async () => {
  const { email } = await inviteWithPassword();
  const held: (() => void)[] = [];
  const isHeld = vi.fn(() => true);
  compute.mockImplementation((algorithm, parameters, done) => {
    const proceed = () => argon2(algorithm, { ...parameters, memory: 8, passes: 1 }, done);
    if (isHeld()) held.push(proceed);
    else proceed();
  });
  const responses: { statusCode: number; retryAfter: unknown }[] = [];
  const signIns = Array.from({ length: 230 }, async (_, index) => {
    const { statusCode, headers } = await openBrowser().post('/sign-in', { email: `${index}@example.org`, password });
    responses.push({ statusCode, retryAfter: headers['retry-after'] });
  });
  await vi.waitFor(() => expect(responses).toHaveLength(28), { timeout: 30_000 });
  expect(responses.every(({ statusCode, retryAfter }) => statusCode === 503 && Number(retryAfter) > 0)).toBe(true);
  expect([passwords.limiter.inUse, held.length, passwords.limiter.waiting]).toEqual([2, 2, 200]);
  expect((await openBrowser().get('/sign-in')).statusCode).toBe(200);
  isHeld.mockReturnValue(false);
  for (const proceed of held) proceed();
  await Promise.all(signIns);
  expect(responses.slice(28).map(({ statusCode }) => statusCode)).toEqual(Array.from({ length: 202 }, () => 401));
  compute.mockImplementation(argon2);
  expect((await openBrowser().post('/sign-in', { email, password })).statusCode).toBe(303);
});

describe('a session that has come less far than the page needs, or further', () => {
  const html = { accept: 'text/html' };

  async function openAt(stage: 'enrolment' | 'second_factor' | 'complete') {
    const person = await inviteWithPassword();
    const browser = openBrowser();
    const begun = { personId: person.id, stage, method: 'password' } as const;
    const { secret } = await beginSession(engines, store, begun, { address: '192.0.2.1', userAgent: 'Firefox' });
    browser.cookies.set('__Host-waybill_session', secret);
    browser.csrf = makeFormToken(secret);
    return { browser, person };
  }

  test.each([
    ['complete', '/sign-in/enrolment', '/home'],
    ['complete', '/sign-in/code?next=%2Fa%40x.org%2Fsent', '/a@x.org/sent'],
    ['enrolment', '/home', '/sign-in/enrolment'],
    ['enrolment', '/sign-in/code', '/sign-in/enrolment'],
    ['second_factor', '/a@x.org/sent', '/sign-in/code?next=%2Fa%40x.org%2Fsent'],
    ['second_factor', '/sign-in/enrolment', '/sign-in/code'],
  ] as const)('%s at %s goes on at %s', async (stage, path, expected) => {
    const { browser } = await openAt(stage);
    expect((await browser.send('GET', path, { headers: html })).headers.location).toBe(expected);
    const script = await browser.send('GET', path, { headers: { accept: 'application/json' } });
    expect(script.statusCode).toBe(401);
  });

  test('repeats the form with the code without signing in again', async () => {
    const { browser } = await openAt('complete');
    const repeated = await browser.post('/sign-in/code', { code: '123456', csrftoken: 'of the session before' }, html);
    expect(repeated.headers.location).toBe('/home');
  });

  test('has no page to go back to without a session', async () => {
    const { headers } = await openBrowser().send('GET', '/sign-in/enrolment', { headers: html });
    expect(headers.location).toBe('/sign-in');
  });
});

test('a link that was used leads back to the choice of a method in the same browser only', async () => {
  const { link = '' } = await invitePerson(engines, administrator, { email: newAddress(), mail: false });
  const browser = openBrowser();
  const other = await inviteWithPassword();
  await browser.get('/sign-in');
  await browser.post('/sign-in', { email: other.email, password });
  const { pathname } = new URL(link);
  await browser.get(pathname);
  await browser.post(pathname, { gesture: 'pressed' });
  expect(await store.sessions.ofPerson(other.id, 3600, 10), 'whoever used the browser before').toEqual([]);
  expect((await browser.get(pathname)).headers.location).toBe('/sign-in/enrolment');
  await browser.get('/sign-in/enrolment');
  const again = await browser.post(pathname, { gesture: 'pressed' });
  expect(again.headers.location, 'pressed once more').toBe('/sign-in/enrolment');
  expect((await openBrowser().get(pathname)).statusCode).toBe(410);
});

test('an account that is disabled is not the page after a sign-in', async () => {
  const person = await inviteWithPassword();
  const { accountId, email } = await exchange.account();
  await store.people.setMembership(accountId, person.id, 'member');
  const own = await store.accounts.byEmail(person.email);
  await store.accounts.setDisabled(own?.id ?? '', true);
  const browser = openBrowser();
  await browser.post('/sign-in', { email: person.email, password });
  expect((await browser.get('/home')).headers.location).toBe(`/${encodeURIComponent(email)}/`);
  const other = await exchange.account();
  await store.people.setMembership(other.accountId, person.id, 'member');
  await store.accounts.setDisabled(accountId, true);
  expect((await browser.get('/home')).headers.location).toBe(`/${encodeURIComponent(other.email)}/`);
});

test('a list of thousands of texts where a form is expected holds up nobody', async () => {
  const payload = Array.from({ length: 20_000 }, () => '');
  // The first time, code is compiled.
  await openBrowser().postJson('/sign-in', payload);
  const turnMs = await measureLongestTurn(() => openBrowser().postJson('/sign-in', payload));
  expect(turnMs).toBeLessThan(500);
});

describe('behind a trusted proxy that passes on what a browser sends', () => {
  const behindProxy = buildTestServer({ ...exchange, engines }, {}, { trustedProxies: ['127.0.0.1'] });
  const forwarded = (host: string, protocol: string) => ({
    host: new URL(policy.publicUrl).host,
    'x-forwarded-host': host,
    'x-forwarded-proto': protocol,
  });

  test.each([
    ['a b', 'https'],
    ['attacker.test', 'https'],
    ['[', 'a b'],
  ])('a page is served whatever is forwarded: host %j, protocol %j', async (host, protocol) => {
    const page = await behindProxy.inject({ url: '/sign-in', headers: forwarded(host, protocol) });
    expect(page.statusCode).toBe(200);
    expect(page.body).not.toContain(host);
  });

  test('a page of the host that is forwarded cannot post a form', async () => {
    const browser = openBrowser();
    const post = (origin: string) =>
      behindProxy.inject({
        method: 'POST',
        url: '/sign-in',
        headers: {
          ...forwarded('attacker.test', 'https'),
          origin,
          cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
          'content-type': 'application/x-www-form-urlencoded',
        },
        payload: new URLSearchParams({ csrftoken: browser.csrf, email: newAddress(), password }).toString(),
      });
    expect((await post('https://attacker.test')).statusCode).toBe(403);
    expect((await post(new URL(policy.publicUrl).origin)).statusCode).not.toBe(403);
  });
});
