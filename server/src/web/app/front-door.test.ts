// The way in: the address of the server, the first visit, and the page about the server.
import { describe, expect, test } from 'vitest';
import { AppBrowser } from '../../../test/app-browser.ts';
import { signInMember } from '../../../test/sign-in-member.ts';
import { useTestServer } from '../../../test/use-test-server.ts';
import { personAuthor } from '../../domain/audit/author.ts';
import { invitePerson } from '../../domain/people/invite-person.ts';

const { exchange, app } = await useTestServer();
const { engines } = exchange;
const visit = () => new AppBrowser(app, engines.policy.publicUrl);

describe('/', () => {
  test('is sign-in, with a way on for people who were sent a file', async () => {
    const { statusCode, body } = await visit().get('/');
    expect(statusCode).toBe(200);
    expect(body).toContain('<form method="post" action="/sign-in"');
    expect(body).toContain('Were you sent a file?');
    for (const href of ['#sent-a-file', '/genuine', '/open-link', '/docs', '/?lang=sv']) {
      expect(body).toContain(`href="${href}"`);
    }
    expect(body).toContain(engines.policy.mailFrom);
  });

  test('is there for programs and health probes', async () => {
    for (const accept of ['*/*', 'application/json', '']) {
      const { statusCode, headers } = await visit().send('HEAD', '/', { headers: { accept } });
      expect([statusCode, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    }
  });

  test('leads a person who has signed in to the account in which they worked last', async () => {
    const { browser, person } = await signInMember(exchange, app, 'owner');
    const other = await exchange.account('r@example.org');
    await engines.store.people.setMembership(other.accountId, person.id, 'member');
    const lead = async () => {
      expect((await browser.get('/')).headers.location).toBe('/home');
      return (await browser.get('/home')).headers.location;
    };
    const first = await lead();
    const page = { headers: { accept: 'text/html,application/xhtml+xml' } };
    const otherBase = `/${encodeURIComponent(other.email)}/`;
    expect((await browser.send('GET', otherBase, page)).statusCode).toBe(200);
    expect(await lead()).toBe(otherBase);
    await engines.store.people.removeMembership(other.accountId, person.id);
    expect(await lead(), 'no longer a member').toBe(first);
  });

  test('and /sign-in ask nobody to sign in again, unless a change needs it', async () => {
    const { browser, base } = await signInMember(exchange, app);
    expect((await browser.get('/sign-in')).headers.location).toBe('/home');
    const next = encodeURIComponent(`${base}sent`);
    expect((await browser.get(`/sign-in?next=${next}`)).headers.location).toBe(`${base}sent`);
    expect((await browser.get(`/sign-in?confirm&next=${next}`)).statusCode).toBe(200);
    await browser.get(base);
    await browser.post('/sign-out');
    expect((await browser.get('/')).statusCode).toBe(200);
    expect([...browser.cookies.keys()]).not.toContain('__Host-waybill_account');
  });
});

test('an invitation names who invites, and to which account', async () => {
  const { person, account } = await signInMember(exchange, app, 'owner');
  await engines.store.accounts.setChoices(account.accountId, { displayName: 'Plant 2 Orders' });
  await engines.store.people.setProfile(person.id, { name: 'Ines Albrecht' });
  const { link } = await invitePerson(engines, personAuthor(person, '192.0.2.1'), {
    email: `${engines.random.uuid()}@example.org`,
    membership: { accountId: account.accountId, role: 'member' },
    mail: false,
  });
  const { body } = await visit().get(new URL(String(link)).pathname);
  const text = body.replaceAll(/<[^>]+>/g, '').replaceAll(/[\u2068\u2069]/g, '');
  expect(text).toContain('Ines Albrecht has set up an account for you');
  expect(text).toContain(person.email);
  expect(text).toContain(`Plant 2 Orders (${account.email})`);
});

describe('the first steps', () => {
  test('are done as far as the server knows, and end with a file to oneself', async () => {
    const { browser, base, person, account } = await signInMember(exchange, app, 'owner');
    await engines.store.people.setProfile(person.id, { name: 'Maya' });
    const first = await browser.get(`${base}welcome`);
    expect(first.body.match(/class="first-step is-now"/g)?.length).toBeGreaterThanOrEqual(1);
    expect(first.body).toContain(`action="${base}welcome/sample"`);
    const requestId = /name="request_id" value="([^"]+)"/.exec(first.body)?.[1] ?? '';

    const sent = await browser.post(`${base}welcome/sample`, { request_id: requestId });
    expect(sent.headers.location).toMatch(/\/sent\/[0-9a-f-]+\?sent=1$/);
    const again = await browser.post(`${base}welcome/sample`, { request_id: requestId });
    expect(again.headers.location, 'pressed twice').toBe(sent.headers.location);

    const dropId = /sent\/([0-9a-f-]+)/.exec(String(sent.headers.location))?.[1] ?? '';
    const [receiver] = await engines.store.sentDrops.followedReceivers(account.accountId, dropId);
    expect(receiver?.email).toBe(person.email);
    const found = await engines.store.sentDrops.find(account.accountId, { type: 'downloadfiles', dropId });
    expect(found && (found.expiresAt.getTime() - found.createdAt.getTime()) / 86_400_000).toBeCloseTo(1, 1);

    const { body } = await browser.get(`${base}welcome`);
    expect(body).not.toContain('welcome/sample');
    expect(body).toContain(`href="${base}sent/${dropId}"`);
    expect(body).toContain('Done: ');
  });

  test('say why the sample was refused, and leave no file behind', async () => {
    const { browser, base, account } = await signInMember(exchange, app, 'owner');
    await exchange.database.query(`update accounts set receiver_domains = '{elsewhere.example}' where id = $1`, [
      account.accountId,
    ]);
    await browser.get(`${base}welcome`);
    const refused = await browser.post(`${base}welcome/sample`);
    expect(refused.statusCode).toBeGreaterThanOrEqual(400);
    expect(refused.body).toContain('tone-bad');
    expect((await engines.store.quotas.usage(account.accountId)).storedBytes).toBe(0);
  });
});

test('the page about the server names the limits of the account in view, and what is kept', async () => {
  const { browser, base, account } = await signInMember(exchange, app, 'reader');
  await exchange.database.query(
    'update accounts set max_stored_bytes = 10000000000, drops_per_day = 50 where id = $1',
    [account.accountId],
  );
  const { statusCode, body } = await browser.get(`${base}about`);
  expect(statusCode).toBe(200);
  const text = body.replaceAll(/<[^>]+>/g, ' ').replaceAll(/[\u00a0\u2068\u2069\u202f]/g, ' ');
  expect(text).toContain('of 10 GB');
  expect(text).toMatch(/Deliveries today\s+0 of 50/);
  expect(text).toContain('What is kept, and how long');
  expect(body).toContain('href="/genuine"');
  expect(body).toContain('href="/docs"');
  // Every screen leads to it.
  expect((await browser.get(`${base}sent`)).body).toContain(`href="${base}about"`);
});
