import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { eicar } from '../../../../../tools/shared/eicar.ts';
import { readyUpload } from '../../../../test/account-uploads.ts';
import type { AppBrowser } from '../../../../test/app-browser.ts';
import { testPolicy } from '../../../../test/exchange.ts';
import { requestV1 } from '../../../../test/request-v1.ts';
import { buildTestServer } from '../../../../test/server.ts';
import { signInMember } from '../../../../test/sign-in-member.ts';
import { useTestServer } from '../../../../test/use-test-server.ts';
import { personAuthor } from '../../../domain/audit/author.ts';
import { replaceGlobalContacts } from '../../../domain/contacts/replace-contacts.ts';
import { showLinks } from '../../../domain/drops/show-links.ts';
import type { MemberRole } from '../../../domain/people/person-store.ts';

const { exchange, app } = await useTestServer({ sms: { send: async () => undefined } as never });
const { engines } = exchange;

interface Filled {
  readonly fields?: Readonly<Record<string, string | readonly string[]>>;
  readonly files?: Readonly<Record<string, string>>;
}

/** Sends the form as a browser does: its token first, then the files, then what was typed. */
async function post(
  browser: AppBrowser,
  url: string,
  { fields = {}, files = {} }: Filled,
  headers: Record<string, string> = { accept: 'text/html' },
) {
  const form = new FormData();
  form.set('csrftoken', browser.csrf);
  for (const [name, content] of Object.entries(files)) form.append('files', new File([content], name));
  for (const [name, values] of Object.entries({ request_id: randomUUID(), ...fields })) {
    for (const value of [values].flat()) form.append(name, value as string);
  }
  const request = new Request('https://x.example/', { method: 'POST', body: form });
  return browser.send('POST', url, {
    payload: Buffer.from(await request.arrayBuffer()),
    headers: { 'content-type': request.headers.get('content-type') ?? '', ...headers },
  });
}

const byScript = { accept: 'application/json' };
const complete = { receiver: 'anna@example.org', message: 'Hello', days: '7', second_factor: 'off' };
const findId = (location: unknown) => /\/sent\/([0-9a-f-]{36})\?sent=1$/.exec(String(location))?.[1] ?? '';

type Signed = Awaited<ReturnType<typeof signInMember>>;

async function signIn(role: MemberRole = 'member', account?: Signed['account']) {
  const member = await signInMember(exchange, app, role, account);
  const key = member.account.apiKey;
  const read = async (id: string) => (await requestV1(app, 'GET', `/drops/${id}`, { key })).json();
  const list = async () => (await requestV1(app, 'GET', '/drops', { key })).json().data;
  const actor = { ...member.account, author: personAuthor(member.person, '192.0.2.1') };
  return { ...member, actor, url: `${member.base}send`, read, list };
}

describe('the form', () => {
  test('is the first page of the account, with the token as its first field', async () => {
    const { browser, base } = await signIn();
    const page = await browser.get(base);
    expect(page.statusCode).toBe(200);
    expect(page.body).toMatch(
      /<form id="composer"[^>]*enctype="multipart\/form-data"[^>]*><input type="hidden" name="csrftoken"/,
    );
    expect(page.body).toMatch(/<input[^>]*type="file"[^>]*multiple/);
  });

  test('says how large a file may be, with what the account stores already', async () => {
    const { browser, base, account, url } = await signIn();
    await exchange.database.query('update accounts set max_stored_bytes = 2000000 where id = $1', [account.accountId]);
    await browser.get(base);
    await post(browser, url, { fields: complete, files: { 'a.txt': 'x'.repeat(500_000) } });
    expect((await browser.get(base)).body).toContain('data-max-file-bytes="1500000"');
  });

  test('sends two files with everything that was chosen', async () => {
    const { browser, base, url, account, person, read } = await signIn();
    await engines.store.contacts.replace(account.accountId, [
      { email: 'kim@example.org', name: 'Kim Park', phone: '46701234567', language: '', groups: ['Auditors'] },
      { email: 'bo@example.org', name: 'Bo', phone: '46701234568', language: '', groups: ['Auditors'] },
    ]);
    const sent = await post(browser, url, {
      fields: {
        ...complete,
        title: ' The plans ',
        receiver: 'Auditors, "Ek, Anna" <Anna@Example.org>',
        days: '3',
        second_factor: 'mail',
      },
      files: { 'a.txt': 'first', 'b.txt': 'second' },
    });
    expect(sent.statusCode, sent.body.slice(0, 300)).toBe(303);
    const drop = await read(findId(sent.headers.location));
    expect(drop).toMatchObject({
      title: 'The plans',
      message: 'Hello',
      second_factor: 'mail',
      notify: true,
      state: 'live',
    });
    expect(drop.receivers).toMatchObject([
      { email: 'bo@example.org' },
      { email: 'kim@example.org', phone: '46701234567' },
      { email: 'anna@example.org', name: 'Ek, Anna' },
    ]);
    expect(drop.files).toMatchObject([
      { name: 'a.txt', size: 5 },
      { name: 'b.txt', size: 6 },
    ]);
    expect(Date.parse(drop.expires_at) - Date.parse(drop.created_at)).toBe(3 * 86_400_000);
    const audit = await exchange.database.query(
      `select author_kind, author_id from audit_entries where account_id = $1 and action = 'drop.created'`,
      [account.accountId],
    );
    expect(audit).toEqual([{ author_kind: 'person', author_id: person.id }]);
    for (const path of ['sent', `sent/${drop.id}`])
      expect((await browser.get(`${base}${path}`)).body).toContain('The plans');
  });

  test('until a day of one’s own, which ends where the person is', async () => {
    const { browser, url, person, read } = await signIn();
    await engines.store.people.setProfile(person.id, { name: 'Maya', language: 'en', timeZone: 'Asia/Tokyo' });
    const day = new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10);
    const sent = await post(browser, url, { fields: { ...complete, days: '', until: day } });
    const drop = await read(findId(sent.headers.location));
    // Half a second may have passed since it was computed.
    expect(Math.abs(Date.parse(drop.expires_at) - Date.parse(`${day}T14:59:59Z`))).toBeLessThan(5000);
  });

  test('sends a message without a file, whose link does not speak of files', async () => {
    const { browser, url, read, account } = await signIn();
    const sent = await post(browser, url, { fields: complete });
    const dropId = findId(sent.headers.location);
    expect(await read(dropId)).toMatchObject({ message: 'Hello', file_count: 0, files: [] });
    const links = await showLinks(exchange.engines, account, { type: 'downloadfiles', dropId });
    const landing = await browser.get(new URL(links.get(0) ?? '').pathname);
    expect(landing.body).toContain('has sent you a message</h1>');
    expect(landing.body).not.toMatch(/View files|has sent you files/);
  });

  test('makes links instead of mails', async () => {
    const { browser, url, read } = await signIn();
    const sent = await post(browser, url, { fields: { ...complete, notify: 'links' } });
    const id = findId(sent.headers.location);
    expect(await read(id)).toMatchObject({ notify: false });
    expect(await exchange.database.query('select from messages where drop_id = $1', [id])).toEqual([]);
    expect(sent.body).not.toContain('/d/');
  });

  test('sends once, however often it is sent', async () => {
    const { browser, url, list } = await signIn();
    const filled = { fields: { ...complete, request_id: randomUUID() }, files: { 'a.txt': 'first' } };
    const [one, two] = await Promise.all([post(browser, url, filled), post(browser, url, filled)]);
    const three = await post(browser, url, filled);
    expect([one.statusCode, two.statusCode, three.statusCode]).toEqual([303, 303, 303]);
    expect(new Set([one, two, three].map(({ headers }) => headers.location)).size).toBe(1);
    expect(await list()).toHaveLength(1);
    const edited = await post(browser, url, { ...filled, fields: { ...filled.fields, message: 'Something else' } });
    expect(edited.statusCode).toBe(409);
    const [, next = ''] = /name="request_id" value="([^"]+)"/.exec(edited.body) ?? [];
    expect(next).not.toBe(filled.fields.request_id);
    expect((await post(browser, url, { fields: { ...complete, request_id: next } })).statusCode).toBe(303);
    expect(await list()).toHaveLength(2);
  });

  test.each([
    ['nobody to send to', { receiver: ' ' }, 'receiver', /Enter at least one receiver/],
    ['an address that is none', { receiver: 'anna(at)example.org' }, 'receiver', /anna\(at\)example\.org.* is not an/],
    ['nothing to send', { message: ' ' }, 'files', /nothing to send/],
    ['a message that is too long', { message: 'x'.repeat(20_001) }, 'message', /20,000 characters/],
    ['a lifetime that is not allowed', { days: '4000' }, 'until', /another day/],
    ['a day that is none', { days: '', until: '2026-02-31x' }, 'until', /another day/],
    ['a day in the past', { days: '', until: '2020-01-01' }, 'until', /another day/],
    [
      'a phone number that is none',
      { second_factor: 'sms', 'phone:anna@example.org': 'call me' },
      'phone',
      /mobile number/,
    ],
  ])('comes back with %s', async (_what, wrong, field, text) => {
    const { browser, url, list } = await signIn();
    const fields = { ...complete, ...wrong };
    const refused = await post(browser, url, { fields, files: field === 'files' ? {} : { 'kept.txt': 'kept' } });
    expect(refused.statusCode).toBe(400);
    expect(refused.body).toMatch(text);
    expect(refused.body).toContain(
      field === 'phone'
        ? 'aria-describedby="phone:anna@example.org-text"'
        : `id="${field}-problem" class="field-problem" role`,
    );
    // Nobody types anything twice, nor uploads it.
    if (field !== 'receiver') expect(refused.body).toContain('anna@example.org');
    if (field !== 'files')
      expect(refused.body).toMatch(/type="checkbox" name="upload" value="[^"]+" checked[^>]*data-path="kept\.txt"/);
    const asJson = await post(browser, url, { fields }, byScript);
    expect([asJson.statusCode, asJson.json()]).toMatchObject([400, { field, message: expect.stringMatching(text) }]);
    expect(await list()).toEqual([]);
  });

  test('keeps what was typed if a file is refused', async () => {
    const { browser, url, list } = await signIn();
    const refused = await post(browser, url, {
      fields: complete,
      files: { 'good.txt': 'good', '..': 'x', 'c.txt': 'c' },
    });
    expect(refused.statusCode).toBe(400);
    expect(refused.body).toContain('anna@example.org');
    expect(refused.body).toContain('data-path="good.txt"');
    expect(await list()).toEqual([]);
  });

  test('asks for the phone number of each person who gets a code by SMS', async () => {
    const { browser, url, read } = await signIn();
    const fields = { ...complete, second_factor: 'sms' };
    const refused = await post(browser, url, { fields });
    expect(refused.statusCode).toBe(400);
    expect(refused.body).toContain('name="phone:anna@example.org"');
    const sent = await post(browser, url, { fields: { ...fields, 'phone:anna@example.org': '+46 70-123 45 67' } });
    expect((await read(findId(sent.headers.location))).receivers).toMatchObject([{ phone: '46701234567' }]);
  });

  test('respects the rules of the account', async () => {
    const { browser, base, url, account } = await signIn();
    await engines.store.quotas.setForAccount(account.accountId, {
      receiverDomains: ['acme.example'],
      secondFactor: 'mail',
      lifetimes: [1, 5],
    });
    const page = await browser.get(base);
    expect(page.body).not.toContain('name="notify"');
    expect(page.body).not.toContain('value="off"');
    expect(page.body).toMatch(/name="days" value="5"/);
    expect(page.body).not.toMatch(/name="days" value="7"|name="until"/);
    const send = (changes: object) =>
      post(
        browser,
        url,
        { fields: { ...complete, days: '5', second_factor: 'mail', receiver: 'a@acme.example', ...changes } },
        byScript,
      );
    expect((await send({ receiver: 'anna@example.org' })).json()).toMatchObject({ field: 'receiver' });
    expect((await send({ second_factor: 'off' })).json()).toMatchObject({ field: 'second_factor' });
    expect((await send({ notify: 'links' })).json()).toMatchObject({ field: 'notify' });
    expect((await send({ days: '7' })).json()).toMatchObject({ field: 'until' });
    expect((await send({})).statusCode).toBe(200);
    await engines.store.quotas.setForAccount(account.accountId, {
      receiverDomains: ['acme.example'],
      secondFactor: 'mail',
      lifetimes: [1, 5],
      dropsPerDay: 1,
    });
    expect((await send({})).statusCode).toBe(429);
  });

  test('is no form for a reader, who is refused', async () => {
    const { browser, base, url } = await signIn('reader');
    const page = await browser.get(base);
    expect(page.body).toContain('You can follow, but not send');
    expect(page.body).not.toContain('id="composer"');
    expect((await post(browser, url, { fields: complete })).statusCode).toBe(403);
  });
});

test('a file from the Share menu that is refused is explained in the composer, beside those that arrived', async () => {
  const { browser, person } = await signIn();
  const share = async (files: Readonly<Record<string, string>>) => {
    const { headers } = await post(browser, '/share', { files, fields: { text: 'Look' } });
    return String(headers.location);
  };
  expect(await share({ '..': 'x' })).toBe(`/${encodeURIComponent(person.email)}/?refused=invalid_name#message=Look`);
  const both = await share({ 'good.txt': 'good', '..': 'x' });
  const { body } = await browser.get(both.split('#')[0] ?? '');
  expect(body).toContain('data-path="good.txt"');
  expect(body).toMatch(/id="files-problem" class="field-problem" role="alert"/);
});

test.for([
  ['infected', eicar],
  ['encrypted', '-----BEGIN AGE ENCRYPTED FILE-----\n'],
  ['too_large', 'x'.repeat(10_001)],
])(
  'a file from the Share menu that is %s is not kept, and the composer says why',
  async ([code = '', content = '']) => {
    const policy = { ...testPolicy, scan: 'required', maxFileBytes: 10_000 } as const;
    const scanning = buildTestServer(exchange, { policy });
    const { browser, person } = await signInMember(exchange, scanning, 'member');
    const { statusCode, headers } = await post(browser, '/share', { files: { 'note.txt': content } });
    const composer = `/${encodeURIComponent(person.email)}/?refused=${code}`;
    expect([statusCode, headers['location']]).toEqual([303, composer]);
    expect((await browser.get(composer)).body).toMatch(/id="files-problem" class="field-problem" role="alert"/);
    await scanning.close();
  },
);

describe('a script', () => {
  test('sends uploads of the person, each once', async () => {
    const { browser, url, actor, read } = await signIn();
    const [one, two] = [
      await readyUpload(exchange, actor, 'plans/a.txt', 'a'),
      await readyUpload(exchange, actor, 'b.txt', 'bb'),
    ];
    const fields = { ...complete, upload: `${one} ${two}` };
    const sent = await post(browser, url, { fields }, byScript);
    expect(sent.statusCode, sent.body).toBe(200);
    expect((await read(findId(sent.json().location))).files).toMatchObject([
      { path: 'plans/a.txt' },
      { path: 'b.txt' },
    ]);
    const again = await post(browser, url, { fields }, byScript);
    expect([again.statusCode, again.json()]).toMatchObject([400, { field: 'files' }]);
  });

  test.each([
    ['account', (_other: Signed) => signIn()],
    ['member of the account', ({ account }: Signed) => signIn('owner', account)],
  ])('cannot send an upload of another %s, nor see it', async (_whose, join) => {
    const other = await signIn();
    const mine = await join(other);
    const theirs = await readyUpload(exchange, other.actor, 'secret.txt', 'secret');
    const refused = await post(mine.browser, mine.url, { fields: { ...complete, upload: theirs } }, byScript);
    expect([refused.statusCode, refused.json()]).toMatchObject([400, { field: 'files' }]);
    expect((await mine.browser.get(`${mine.base}?upload=${theirs}`)).body).not.toContain('secret.txt');
    expect((await other.browser.get(`${other.base}?upload=${theirs}`)).body).toContain('data-path="secret.txt"');
  });

  test('needs the token, as the first part', async () => {
    const { browser, url, list } = await signIn();
    browser.csrf = 'x'.repeat(43);
    expect((await post(browser, url, { fields: complete }, byScript)).statusCode).toBe(403);
    expect(await list()).toEqual([]);
  });
});

describe('completion', () => {
  const contact = (email: string, name = '', groups: string[] = []) => ({
    email,
    name,
    phone: '',
    language: '',
    groups,
  });

  test('finds parts of names, addresses and groups, recent receivers first, of the account alone', async () => {
    const [mine, other] = [await signIn(), await signIn()];
    await replaceGlobalContacts(engines, [{ email: 'help@northwind.example', name: 'Help Desk' }]);
    await engines.store.contacts.replace(mine.account.accountId, [
      contact('kim.park@northwind.example', 'Kim Park', ['North team']),
      contact('tomas@northwind.example', 'Tomás Ortega', ['North team', 'South']),
    ]);
    await engines.store.contacts.replace(other.account.accountId, [
      contact('secret@northwind.example', 'Secret', ['North']),
    ]);
    await post(mine.browser, mine.url, { fields: { ...complete, receiver: 'Zoë <zoe@northwind.example>' } });
    await post(other.browser, other.url, { fields: { ...complete, receiver: 'hidden@northwind.example' } });
    const ask = async (query: string) => (await mine.browser.get(`${mine.base}receivers?${query}`)).json();
    const find = async (text: string) => {
      const { people, groups } = await ask(`q=${encodeURIComponent(text)}`);
      return [
        ...groups.map(({ name, size }: { name: string; size: number }) => `${name} ${size}`),
        ...people.map(({ email }: { email: string }) => email),
      ];
    };
    expect(await find('')).toEqual([
      'zoe@northwind.example',
      'kim.park@northwind.example',
      'tomas@northwind.example',
      'help@northwind.example',
    ]);
    expect(await find('ARK')).toEqual(['kim.park@northwind.example']);
    expect(await find('ortega')).toEqual(['tomas@northwind.example']);
    expect(await find('north')).toEqual([
      'North team 2',
      'zoe@northwind.example',
      'kim.park@northwind.example',
      'tomas@northwind.example',
      'help@northwind.example',
    ]);
    expect(await find('%')).toEqual([]);
    expect((await ask('group=north%20TEAM')).people).toHaveLength(2);
    expect((await ask('group=North')).people).toEqual([]);
    await engines.store.contacts.replace(
      mine.account.accountId,
      Array.from({ length: 30 }, (_, index) => contact(`n${index}@north.example`)),
    );
    expect(await find('north')).toHaveLength(8);
  });

  test('says how it understood a list', async () => {
    const { browser, base, account } = await signIn();
    await engines.store.contacts.replace(account.accountId, [contact('kim@northwind.example', 'Kim Park', ['Team'])]);
    const text =
      'Team; KIM@northwind.example; x@northwimd.example; x@northwimd.example; a@nowhere.example; what(is)this';
    const understood = (await browser.postJson(`${base}receivers`, { text })).json();
    expect(understood).toEqual({
      receivers: [
        { email: 'kim@northwind.example', name: 'Kim Park', hasPhone: false },
        { email: 'x@northwimd.example', name: '', hasPhone: false },
        { email: 'a@nowhere.example', name: '', hasPhone: false },
      ],
      repeated: ['kim@northwind.example', 'x@northwimd.example'],
      unreadable: ['what(is)this'],
      nearMisses: [{ email: 'x@northwimd.example', meant: 'x@northwind.example' }],
    });
  });
});

test('the Share menu keeps files in the person’s own account, and opens the composer with them', async () => {
  const { browser, base, person, list } = await signIn('reader');
  browser.csrf = '';
  const filled = { fields: { title: 'Trip', text: 'See you', url: '' }, files: { 'photo.jpg': 'jpeg' } };
  const shared = await post(browser, '/share', filled, { accept: 'text/html', 'sec-fetch-site': 'none' });
  expect(shared.statusCode, shared.body.slice(0, 300)).toBe(303);
  const [page = '', message = ''] = String(shared.headers.location).split('#message=');
  expect(decodeURIComponent(message)).toBe('Trip\nSee you');
  expect(page).toMatch(new RegExp(`^/${encodeURIComponent(person.email)}/\\?upload=`));
  expect((await browser.get(page)).body).toContain('data-path="photo.jpg"');
  expect((await browser.get(`${base}${page.slice(page.indexOf('?'))}`)).body).not.toContain('photo.jpg');
  expect(await list()).toEqual([]);
});

test('a delivery for anybody has no receivers, and one link with a maximum of downloads', async () => {
  const { browser, base, account } = await signInMember(exchange, app, 'member');
  await browser.get(base);
  const sent = await post(browser, `${base}send`, {
    fields: { receiver: '', message: '', who: 'anybody', max_downloads: '3', days: '7', second_factor: 'off' },
    files: { 'a.txt': 'content' },
  });
  expect(sent.statusCode, sent.body).toBe(303);
  const { body } = await browser.get(String(sent.headers.location));
  expect(body).toContain('The link is ready');
  expect(body).toContain('1 file for anybody with the link');
  expect(body).toContain('3 of 3 downloads left');
  const list = await browser.get(`${base}sent`);
  expect(list.body).toContain('Anybody with the link');
  await engines.store.quotas.setForAccount(account.accountId, { sharedLinks: 'named' });
  const form = await browser.get(base);
  expect(form.body).not.toContain('name="who"');
  const refused = await post(browser, `${base}send`, {
    fields: { receiver: '', message: 'x', who: 'anybody', days: '7', second_factor: 'off' },
  });
  expect(refused.statusCode).toBe(400);
});
