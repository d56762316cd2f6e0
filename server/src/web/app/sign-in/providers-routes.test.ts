import { describe, expect, test } from 'vitest';
import { AppBrowser } from '../../../../test/app-browser.ts';
import { openTestExchange } from '../../../../test/exchange.ts';
import { openProviders, toProvider } from '../../../../test/providers.ts';
import { buildTestServer } from '../../../../test/server.ts';
import { startIdentityProvider, type TestClaims } from '../../../../test/servers/identity-provider.ts';
import { invitePerson } from '../../../domain/people/invite-person.ts';
import { makeRecoveryLink } from '../../../domain/people/recover-person.ts';
import { toProviderPaths } from '../../../domain/ports/identity-provider.ts';

const paths = toProviderPaths('staff');
const createPeople = { domains: ['example.org'], claim: undefined };

/** A server with one provider, at which one person has these claims. */
async function open(claims: TestClaims, settings: Partial<Parameters<typeof toProvider>[0]> = {}) {
  const stack = new AsyncDisposableStack();
  const exchange = stack.use(await openTestExchange());
  const { publicUrl } = exchange.engines.policy;
  const provider = stack.use(
    await startIdentityProvider({ people: { alice: claims }, redirectUri: `${publicUrl}${paths.callback}` }),
  );
  const { pepper, random } = exchange.engines;
  const providers = [toProvider({ issuer: provider.issuer, createPeople, ...settings })];
  const engines = {
    ...exchange.engines,
    identityProviders: openProviders(providers, { publicUrl, pepper, random }),
  };
  const app = buildTestServer({ ...exchange, engines });
  stack.defer(() => app.close());
  const visit = () => new AppBrowser(app, publicUrl);
  /** Signs in at the provider, and returns to us. */
  const signIn = async (browser: AppBrowser, query = '') => {
    const begun = await browser.get(`${paths.begin}${query}`);
    const back = await provider.openBrowser().signIn(String(begun.headers.location), 'alice');
    return browser.get(back.slice(publicUrl.length));
  };
  /** Adds the identity that the provider recognises to the methods of the person in the browser. */
  const addIdentity = async (browser: AppBrowser) => {
    await browser.get('/sign-in?confirm');
    const begun = await browser.post(paths.link);
    const [, url = ''] = /^0; url=(.+)$/.exec(String(begun.headers['refresh'])) ?? [];
    const back = await provider.openBrowser().signIn(url, 'alice');
    const asked = await browser.get(back.slice(publicUrl.length));
    if (asked.headers.location !== paths.confirm) return asked;
    await browser.get(paths.confirm);
    return browser.post(paths.confirm);
  };
  const { query } = exchange.database;
  const doors = { app, visit, signIn, addIdentity };
  return { engines, query, provider, ...doors, publicUrl, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

const alice = { email: 'alice@example.org', email_verified: true, name: 'Alice Ek', locale: 'sv-SE' };

describe('a first sign-in', () => {
  test('creates a person of an allowed domain, with an account, and the second one finds them', async () => {
    await using server = await open(alice);
    const browser = server.visit();
    const signedIn = await server.signIn(browser, '?next=%2Fhome');
    expect(signedIn).toMatchObject({ statusCode: 303, headers: { location: '/home' } });
    expect((await browser.get('/home')).headers.location).toBe('/alice%40example.org/');
    const person = await server.engines.store.people.byEmail('alice@example.org');
    expect(person).toMatchObject({ name: 'Alice Ek', language: 'sv' });
    await server.signIn(server.visit());
    expect(await server.engines.store.people.page('', 10)).toHaveLength(1);
  });

  test.each<[string, TestClaims]>([
    ['whose address is not verified', { ...alice, email_verified: false }],
    ['of another domain', { ...alice, email: 'alice@example.com' }],
    ['without an address', { name: 'Alice' }],
  ])('of someone %s is refused, and nobody is created', async (_name, claims) => {
    await using server = await open(claims);
    const browser = server.visit();
    expect((await server.signIn(browser)).statusCode).toBe(401);
    expect((await browser.get('/home')).headers.location).toMatch(/^\/sign-in/);
    expect(await server.engines.store.people.page('', 10)).toEqual([]);
  });
});

test('a person who exists is not signed in by their address alone, but after signing in here first', async () => {
  await using server = await open(alice);
  const { engines } = server;
  const { link = '', person } = await invitePerson(engines, engines.administrator, { email: alice.email, mail: false });
  const attacker = server.visit();
  const refused = await server.signIn(attacker);
  expect(refused.statusCode).toBe(401);
  expect((await attacker.get('/home')).headers.location).toMatch(/^\/sign-in/);
  expect(await engines.store.signInMethods.identities(person.id)).toEqual([]);

  const browser = server.visit();
  const path = new URL(link).pathname;
  await browser.get(path);
  await browser.post(path, { gesture: 'pressed' });
  await browser.get('/sign-in/enrolment');
  await browser.post('/sign-in/enrolment/password', { password: 'seven purple lanterns over Uppsala' });
  await server.addIdentity(browser);
  expect(await engines.store.signInMethods.identities(person.id)).toMatchObject([
    { subject: 'alice', label: alice.email },
  ]);
  const elsewhere = server.visit();
  await server.signIn(elsewhere);
  expect((await elsewhere.get('/home')).headers.location).toBe('/alice%40example.org/');

  const settings = '/alice%40example.org/settings';
  const page = await browser.get(settings);
  const [, id = ''] = /providers\/unlink".+?name="id" value="([^"]+)"/s.exec(page.body) ?? [];
  expect((await browser.post(`${settings}/providers/unlink`, { id: 'staff' })).statusCode).toBe(404);
  const unlinked = await browser.post(`${settings}/providers/unlink`, { id });
  expect(unlinked.headers.location).toContain('notice=provider_unlinked');
  expect(await engines.store.signInMethods.identities(person.id)).toEqual([]);
});

test('no link adds a provider to the methods of the person in this browser, and none from elsewhere sends it there', async () => {
  await using server = await open({ ...alice, email: 'mallory@example.org' });
  const { engines } = server;
  const { link = '', person } = await invitePerson(engines, engines.administrator, { email: alice.email, mail: false });
  const browser = server.visit();
  const path = new URL(link).pathname;
  await browser.get(path);
  await browser.post(path, { gesture: 'pressed' });
  for (const site of ['cross-site', 'same-site', 'none']) {
    const forced = await browser.send('GET', `${paths.begin}?link`, { headers: { 'sec-fetch-site': site } });
    expect(forced.headers.location, site).toBe('/sign-in');
  }
  await browser.get('/sign-in/enrolment');
  await browser.post('/sign-in/enrolment/password', { password: 'seven purple lanterns over Uppsala' });
  for (const step of [`${paths.begin}?link`, '/sign-in/enrolment', '/sign-in/%70rovider/staff', '/sign-in']) {
    const known = server.visit();
    await known.get('/sign-in');
    const fields = { email: alice.email, password: 'seven purple lanterns over Uppsala', next: step };
    expect((await known.post('/sign-in', fields)).headers.location, step).toBe('/home');
  }
  expect((await browser.get(paths.link)).statusCode).toBe(405);
  await server.signIn(browser, '?link');
  expect(await engines.store.signInMethods.identities(person.id)).toEqual([]);
});

test('the person whose address a provider names signs in, sees the identity and adds it; nobody else can', async () => {
  await using server = await open(
    { ...alice, groups: ['sales'] },
    {
      memberships: [{ group: 'sales', account: 'orders@example.org', role: 'member' }],
      groupsClaim: ['groups'],
    },
  );
  const { engines } = server;
  const password = 'seven purple lanterns over Uppsala';
  const enrol = async (email: string) => {
    const { link = '', person } = await invitePerson(engines, engines.administrator, { email, mail: false });
    const browser = server.visit();
    const path = new URL(link).pathname;
    await browser.get(path);
    await browser.post(path, { gesture: 'pressed' });
    await browser.get('/sign-in/enrolment');
    await browser.post('/sign-in/enrolment/password', { password });
    return { person, browser };
  };
  const { person } = await enrol(alice.email);
  const mallory = await enrol('mallory@example.org');
  const account = engines.random.uuid();
  await engines.store.accounts.insert({
    id: account,
    email: 'orders@example.org',
    phone: '',
    type: 'user',
    language: '',
  });

  const browser = server.visit();
  const refused = await server.signIn(browser);
  expect(refused.body).toContain(`name="next" value="${paths.confirm}"`);
  const stolen = browser.cookies.get('__Host-waybill_identity') ?? '';
  mallory.browser.cookies.set('__Host-waybill_identity', stolen);
  expect((await mallory.browser.get(paths.confirm)).statusCode).toBe(401);
  expect((await mallory.browser.post(paths.confirm)).statusCode).toBe(401);

  const signedIn = await browser.post('/sign-in', { email: alice.email, password, next: paths.confirm });
  expect(signedIn.headers.location).toBe(paths.confirm);
  const { body } = await browser.get(paths.confirm);
  expect(body).toContain('Link Staff?');
  expect(await engines.store.signInMethods.identities(person.id)).toEqual([]);
  expect((await browser.post(paths.confirm)).headers.location).toBe('/home');
  expect(await engines.store.signInMethods.identities(person.id)).toMatchObject([{ subject: 'alice' }]);
  expect(await engines.store.people.role(account, person.id)).toBe('member');
  expect((await browser.get(paths.confirm)).statusCode, 'once').toBe(401);
});

test('a provider that is chosen once more before it is added leads on to where the person was going', async () => {
  await using server = await open(alice);
  const { engines } = server;
  const password = 'seven purple lanterns over Uppsala';
  const { person } = await invitePerson(engines, engines.administrator, { email: alice.email, mail: false });
  await engines.store.signInMethods.setPassword(person.id, await engines.passwords.hash(password));
  const browser = server.visit();
  const first = await server.signIn(browser, `?next=${encodeURIComponent('/alice%40example.org/inbox')}`);
  const [, again = ''] = /href="([^"]+)"[^>]*>(?:(?!<\/a>).)*Staff/s.exec(first.body) ?? [];
  expect(again).toBe(`${paths.begin}?next=${encodeURIComponent(paths.confirm)}`);
  await server.signIn(browser, again.slice(paths.begin.length));
  await browser.post('/sign-in', { email: alice.email, password, next: paths.confirm });
  await browser.get(paths.confirm);
  expect((await browser.post(paths.confirm)).headers.location).toBe('/alice%40example.org/inbox');
  expect(await engines.store.signInMethods.identities(person.id)).toHaveLength(1);
});

test('an identity that is added ends the memberships that its groups do not give', async () => {
  const memberships = [{ group: 'sales', account: 'orders@example.org', role: 'member' }] as const;
  await using server = await open({ ...alice, groups: [] }, { memberships, groupsClaim: ['groups'] });
  const { engines } = server;
  const password = 'seven purple lanterns over Uppsala';
  const { person } = await invitePerson(engines, engines.administrator, { email: alice.email, mail: false });
  await engines.store.signInMethods.setPassword(person.id, await engines.passwords.hash(password));
  const id = engines.random.uuid();
  await engines.store.accounts.insert({ id, email: 'orders@example.org', phone: '', type: 'user', language: '' });
  await engines.store.people.setMembership(id, person.id, 'member');
  const browser = server.visit();
  await server.signIn(browser);
  await browser.post('/sign-in', { email: alice.email, password, next: paths.confirm });
  await browser.get(paths.confirm);
  expect((await browser.post(paths.confirm)).statusCode).toBe(303);
  expect(await engines.store.people.role(id, person.id)).toBeUndefined();
});

test('an identity that is added makes nobody a member of a test account', async () => {
  const memberships = [{ group: 'sales', account: 'orders@test.example.org', role: 'member' }] as const;
  await using server = await open({ ...alice, groups: ['sales'] }, { memberships, groupsClaim: ['groups'] });
  const { engines } = server;
  const password = 'seven purple lanterns over Uppsala';
  const { person } = await invitePerson(engines, engines.administrator, { email: alice.email, mail: false });
  await engines.store.signInMethods.setPassword(person.id, await engines.passwords.hash(password));
  const [live, id] = [engines.random.uuid(), engines.random.uuid()];
  const account = { phone: '', type: 'api', language: '' } as const;
  await engines.store.accounts.insert({ ...account, id: live, email: 'orders@example.org' });
  await engines.store.accounts.insert({ ...account, id, email: 'orders@test.example.org', testOf: live });
  const browser = server.visit();
  await server.signIn(browser);
  await browser.post('/sign-in', { email: alice.email, password, next: paths.confirm });
  await browser.get(paths.confirm);
  expect((await browser.post(paths.confirm)).statusCode).toBe(303);
  expect(await engines.store.people.role(id, person.id)).toBeUndefined();
});

test('a provider is added only to the person who began it, if they are still signed in', async () => {
  await using server = await open(alice);
  const { engines } = server;
  const { link = '', person } = await invitePerson(engines, engines.administrator, { email: alice.email, mail: false });
  const browser = server.visit();
  const path = new URL(link).pathname;
  await browser.get(path);
  await browser.post(path, { gesture: 'pressed' });
  await browser.get('/sign-in/enrolment');
  const begun = await browser.post(paths.link);
  await engines.store.sessions.end(person.id, 'all');
  const url = String(begun.headers['refresh']).slice('0; url='.length);
  const back = await server.provider.openBrowser().signIn(url, 'alice');
  expect((await browser.get(back.slice(server.publicUrl.length))).statusCode).toBe(401);
  expect(await engines.store.signInMethods.identities(person.id)).toEqual([]);
});

test('a provider that is chosen after a recovery replaces every other method, and signs out everywhere', async () => {
  await using server = await open(alice);
  const { engines } = server;
  const invited = await invitePerson(engines, engines.administrator, { email: alice.email, mail: false });
  const openLink = async (link = '') => {
    const browser = server.visit();
    const path = new URL(link).pathname;
    await browser.get(path);
    await browser.post(path, { gesture: 'pressed' });
    await browser.get('/sign-in/enrolment');
    return browser;
  };
  const thief = await openLink(invited.link);
  await thief.post('/sign-in/enrolment/password', { password: 'seven purple lanterns over Uppsala' });
  expect((await thief.get('/home')).statusCode).toBe(303);
  const recovery = await makeRecoveryLink(engines, engines.administrator, invited.person, { mail: false });
  const browser = await openLink(recovery);
  const linkSession = browser.cookies.get('__Host-waybill_session');
  // The session of a link lasts an hour, and is the proof.
  await server.query("update sessions set authenticated_at = now() - interval '50 minutes' where stage = 'enrolment'");
  expect((await server.addIdentity(browser)).statusCode).toBe(303);
  const { signInMethods } = engines.store;
  const { id } = invited.person;
  expect(await signInMethods.password(id), 'the password of the thief').toBeUndefined();
  expect(await signInMethods.identities(id)).toHaveLength(1);
  expect((await thief.get('/home')).headers.location).toMatch(/^\/sign-in/);
  expect((await browser.get('/home')).headers.location).toBe('/alice%40example.org/');
  browser.cookies.set('__Host-waybill_session', linkSession ?? '');
  expect((await browser.get('/sign-in/enrolment')).headers.location, 'the session of the link').toMatch(/^\/sign-in/);
  const actions = await server.query('select action from audit_entries where author_id = $1 order by id', [id]);
  expect(actions.map(({ action }) => action)).toEqual([
    'person.link_opened',
    'password.set',
    'person.link_opened',
    'identity.added',
  ]);
});

test('a response of the provider works once, and only in the browser that asked', async () => {
  await using server = await open(alice);
  const [browser, other] = [server.visit(), server.visit()];
  const begun = await browser.get(paths.begin);
  const cookies = new Map(browser.cookies);
  const back = await server.provider.openBrowser().signIn(String(begun.headers.location), 'alice');
  const target = back.slice(server.publicUrl.length);
  expect((await other.get(target)).statusCode, 'login CSRF').toBe(401);
  expect((await browser.get(target)).statusCode).toBe(303);
  for (const [name, value] of cookies) other.cookies.set(name, value);
  expect((await other.get(target)).statusCode, 'replayed').toBe(401);
});

test('memberships follow the groups of the provider, which the audit log shows; a missing claim changes nothing', async () => {
  const memberships = [{ group: 'sales', account: 'orders@example.org', role: 'member' }] as const;
  const claims: Record<string, unknown> = { ...alice, groups: ['sales'] };
  await using server = await open(claims, { memberships, groupsClaim: ['groups'] });
  const { store, random } = server.engines;
  const id = random.uuid();
  await store.accounts.insert({ id, email: 'orders@example.org', phone: '', type: 'user', language: '' });
  const signInWith = async (groups: string[] | undefined) => {
    claims['groups'] = groups;
    await server.signIn(server.visit());
    return (await store.people.members(id, '', 10)).map(({ role }) => role);
  };
  expect(await signInWith(['sales'])).toEqual(['member']);
  expect(await signInWith(undefined)).toEqual(['member']);
  expect(await signInWith([])).toEqual([]);
  expect(await signInWith([])).toEqual([]);
  const personId = (await store.people.byEmail(alice.email))?.id;
  const entries = await server.query(
    'select author_kind, action, details, before, after from audit_entries where account_id = $1 order by at',
    [id],
  );
  const byServer = { author_kind: 'system', details: { personId, provider: 'staff' } };
  expect(entries).toEqual([
    { ...byServer, action: 'member.set', before: { role: null }, after: { role: 'member' } },
    { ...byServer, action: 'member.removed', before: { role: 'member' }, after: null },
  ]);
});

test('groups do not take the last owner from an account that is disabled', async () => {
  const memberships = [{ group: 'sales', account: 'orders@example.org', role: 'member' }] as const;
  await using server = await open({ ...alice, groups: ['sales'] }, { memberships, groupsClaim: ['groups'] });
  const { store, random } = server.engines;
  await server.signIn(server.visit());
  const person = await store.people.byEmail(alice.email);
  const id = random.uuid();
  await store.accounts.insert({ id, email: 'orders@example.org', phone: '', type: 'user', language: '' });
  await store.people.setMembership(id, person?.id ?? '', 'owner');
  await store.accounts.setDisabled(id, true);
  await server.signIn(server.visit());
  expect(await store.people.role(id, person?.id ?? '')).toBe('owner');
});

test('the provider signs a person out, by a token that works once', async () => {
  await using server = await open(alice);
  const browser = server.visit();
  const begun = await browser.get(paths.begin);
  const atProvider = server.provider.openBrowser();
  const back = await atProvider.signIn(String(begun.headers.location), 'alice');
  await browser.get(back.slice(server.publicUrl.length));
  // A session that continues under another secret is still the provider's.
  await browser.get('/alice%40example.org/settings');
  const changed = await browser.post('/alice%40example.org/settings/password', {
    new_password: 'seven purple lanterns over Uppsala',
  });
  expect(changed.statusCode).toBe(303);
  expect((await browser.get('/home')).headers.location).toBe('/alice%40example.org/');
  await atProvider.signOut(`${server.provider.issuer}/session/end`);
  const [token = ''] = server.provider.logoutTokens;
  const post = () =>
    server.app.inject({
      method: 'POST',
      url: paths.logout,
      headers: { host: new URL(server.publicUrl).host, 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ logout_token: token }).toString(),
    });
  expect((await post()).statusCode).toBe(200);
  expect((await browser.get('/home')).headers.location).toMatch(/^\/sign-in/);
  expect((await post()).statusCode, 'replayed').toBe(400);
});

test('signing out also leads to the sign-out page of the provider, if the operator wants it', async () => {
  for (const endSession of [true, false]) {
    await using server = await open(alice, { endSession });
    const browser = server.visit();
    await server.signIn(browser);
    await browser.get('/alice%40example.org/settings');
    const { headers } = await browser.post('/sign-out');
    const [, url = ''] = /^0; url=(.+)$/.exec(String(headers['refresh'])) ?? [];
    expect(url.startsWith(server.provider.issuer)).toBe(endSession);
    expect(headers.location).toBe(endSession ? undefined : '/sign-in?signed-out');
    expect((await browser.get('/home')).headers.location).toMatch(/^\/sign-in/);
  }
});

test('a provider that is not in the settings does not exist', async () => {
  await using server = await open(alice);
  expect((await server.visit().get(toProviderPaths('other').begin)).statusCode).toBe(404);
});
