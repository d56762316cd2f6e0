import { beforeAll, describe, expect, test } from 'vitest';
import { openRequestLink, readyFile } from '../../../../test/file-requests.ts';
import { fillInbox } from '../../../../test/inbox.ts';
import { buildTestServer } from '../../../../test/server.ts';
import { signInMember } from '../../../../test/sign-in-member.ts';
import { useTestServer } from '../../../../test/use-test-server.ts';
import { toReference } from '../../../domain/reference.ts';
import { sendFiles } from '../../../domain/requests/send-files.ts';

const { exchange, app } = await useTestServer();
const { engines, database } = exchange;

/** A delivery is recorded after its response. */
const patient = { timeout: 10_000 };

type Member = Awaited<ReturnType<typeof signInMember>>;

const findEntryId = async ({ account }: Member) => {
  const [entry] = await engines.store.inbox.page(account.accountId, {}, undefined, 1);
  return entry?.id ?? '';
};
/** A member of an account to which another one has sent these files, and the path of the entry. */
async function receive(role: Parameters<typeof signInMember>[2], ...files: string[]) {
  const member = await signInMember(exchange, app, role);
  const sender = await exchange.account(member.account.email);
  const dropId = await exchange.drop(sender, [member.account.email], files);
  const id = await findEntryId(member);
  return { ...member, sender, dropId, id, path: `${member.base}inbox/${id}` };
}
/** A member of an account to which a contact has sent this file. */
async function receiveFromContact(name: string, content: string) {
  const member = await signInMember(exchange, app, 'member', await exchange.account('kim@example.org'));
  const { link } = await openRequestLink(exchange, ['kim@example.org'], member.account);
  await readyFile(engines, link, name, content);
  await sendFiles(engines, link, 'Here you are.');
  return { ...member, path: `${member.base}inbox/${await findEntryId(member)}` };
}
const toCookie = ({ cookies }: Member['browser']) => [...cookies].map((pair) => pair.join('=')).join('; ');
const readPage = async (browser: Member['browser'], path: string) => (await browser.get(path)).body;
const readFiles = async (accountId: string, id: string) => engines.store.files.inInbox(accountId, id);
const readAudit = async (accountId: string) =>
  (
    await database.query<{ line: string }>(
      `select author_kind || ' ' || action as line from audit_entries
       where account_id = $1 and action like 'inbox.%' order by at, id`,
      [accountId],
    )
  ).map(({ line }) => line);

describe('the inbox', () => {
  test('shows what was sent to the account, and an entry beside the list; unread until somebody opens it', async () => {
    const { browser, base, path, sender, account } = await receive('reader', 'a.txt', 'b.txt');
    const list = await browser.get(`${base}inbox`);
    expect(list.statusCode).toBe(200);
    expect(list.body).toContain(sender.email);
    expect(list.body).toContain('entry-unread');
    expect(list.body).toMatch(/data-unread[^>]*><span[^>]*>1</);
    const entry = await browser.get(path);
    expect(entry.body).toContain('b.txt');
    expect(entry.body).not.toContain('entry-unread');
    expect(entry.body).not.toContain('data-unread');
    const [seen] = await database.query('select seen_by, seen_at from inbox_entries where account_id = $1', [
      account.accountId,
    ]);
    expect(seen).toEqual({ seen_by: expect.any(String), seen_at: expect.any(Date) });
  });

  test('does not show another account’s entries, which look as if they did not exist', async () => {
    const { id, path } = await receive('owner', 'a.txt');
    const other = await signInMember(exchange, app, 'owner');
    expect((await other.browser.get(`${other.base}inbox`)).body).not.toContain(id);
    const paths = ['', '/all.zip', '/files.zip?file=0', `/files/${engines.random.uuid()}`, '/folders/x'];
    for (const rest of paths) {
      expect((await other.browser.get(`${other.base}inbox/${id}${rest}`)).statusCode, rest).toBe(404);
      expect((await other.browser.get(`${path}${rest}`)).statusCode, rest).toBe(404);
    }
    expect((await other.browser.post(`${other.base}inbox/${id}/done`)).statusCode).toBe(404);
    expect((await other.browser.get(`${other.base}inbox/nonsense`)).statusCode).toBe(404);
  });

  test('is searched by parts of sender, message, file names and reference', async () => {
    const { browser, base, account } = await receiveFromContact('Contract 4711.pdf', 'signed');
    const [entry] = await database.query<{ drop_id: string }>(
      'select drop_id from inbox_entries where account_id = $1',
      [account.accountId],
    );
    const reference = toReference(entry?.drop_id as string);
    const queries = ['KIM@', 'here you', 'ract 47', reference, reference.slice(3, 7)];
    for (const query of ['y', ...queries]) {
      const found = await browser.get(`${base}inbox?q=${encodeURIComponent(query)}`);
      expect(found.body, query).toContain('kim@example.org');
    }
    for (const query of ['%', '4712', 'x'.repeat(10_000)]) {
      const found = await browser.get(`${base}inbox?q=${encodeURIComponent(query)}`);
      expect(found.body, query).not.toContain('class="entry');
    }
    // An index finds what is behind a thousand newer entries, also of another account.
    const sender = await exchange.account();
    await fillInbox(database, sender, account, 1);
    await fillInbox(database, await exchange.account(), account, 1000);
    for (const query of queries) {
      const found = await browser.get(`${base}inbox?q=${encodeURIComponent(query)}`);
      expect(found.body, query).toContain('kim@example.org');
      expect(found.body.match(/class="entry[" ]/g), query).toHaveLength(1);
    }
    expect((await browser.get(`${base}inbox?q=${sender.email.slice(2)}`)).body).toContain(sender.email);
  });

  test('is read page by page, forth and back', async () => {
    const { browser, base, account } = await signInMember(exchange, app);
    await fillInbox(database, await exchange.account(), account, 120);
    const read = async (href: string) => {
      const { body } = await browser.get(href);
      const ids = [...body.matchAll(/class="entry[^"]*" href="[^"]*inbox\/([\w-]+)/g)].map(([, id]) => id);
      const [, newer] = /href="([^"]+)" rel="prev"/.exec(body) ?? [];
      const [, older] = /href="([^"]+)" rel="next"/.exec(body) ?? [];
      return { ids, newer: newer?.replaceAll('&amp;', '&'), older: older?.replaceAll('&amp;', '&') };
    };
    const first = await read(`${base}inbox`);
    const second = await read(first.older ?? '');
    const third = await read(second.older ?? '');
    expect([first, second, third].map(({ ids }) => ids.length)).toEqual([50, 50, 20]);
    expect(new Set([first, second, third].flatMap(({ ids }) => ids)).size).toBe(120);
    expect([first.newer, third.older]).toEqual([undefined, undefined]);
    expect((await read(third.newer ?? '')).ids).toEqual(second.ids);
    expect((await read(`${base}inbox?after=nonsense`)).ids).toEqual(first.ids);
    // The frame counts no further than it shows.
    expect((await browser.get(`${base}inbox`)).body).toContain('99+');
  });
});

describe('a download', () => {
  let origin: string;
  beforeAll(async () => {
    origin = await app.listen({ host: '127.0.0.1', port: 0 });
  });
  /** Uses a real connection, which shows how many bytes were sent. */
  const download = async (browser: Member['browser'], path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${origin}${path}`, { headers: { cookie: toCookie(browser), ...headers } });
    const bytes = Buffer.from(await response.arrayBuffer());
    return { status: response.status, headers: response.headers, bytes, text: bytes.toString('latin1') };
  };

  test('has the bytes of a file, whole or in part, also for a reader, and counts as delivered', async () => {
    const { browser, path, sender, dropId, account, id } = await receive('reader', 'a.txt', 'b.txt');
    const [file] = await readFiles(account.accountId, id);
    const whole = await download(browser, `${path}/files/${file?.id}`);
    expect([whole.status, whole.text]).toEqual([200, 'content of a.txt']);
    expect(whole.headers.get('content-disposition')).toContain('a.txt');
    const part = await download(browser, `${path}/files/${file?.id}`, { range: 'bytes=11-' });
    expect([part.status, part.text]).toEqual([206, 'a.txt']);
    await expect.poll(() => readPage(browser, path), patient).toContain('1 of 2 downloaded');
    const [state] = await engines.store.drops.deliveryStates(sender.accountId, dropId, -1, 1);
    expect(state?.files.map(({ deliveredBytes }) => deliveredBytes)).toEqual([16, 0]);
    // Once, although it was read in two parts.
    await expect.poll(() => readAudit(account.accountId), patient).toEqual(['person inbox.downloaded']);
  });

  test('of some files or of all is a ZIP that can be resumed', async () => {
    const { browser, path } = await receive('member', 'a.txt', 'b.txt', 'c.txt');
    const all = await download(browser, `${path}/all.zip`);
    expect(all.headers.get('content-type')).toBe('application/zip');
    for (const name of ['a', 'b', 'c']) expect(all.text).toContain(`content of ${name}.txt`);
    const someFiles = `${path}/files.zip?file=0&file=2`;
    const some = await download(browser, someFiles);
    for (const name of ['a', 'c']) expect(some.text).toContain(`content of ${name}.txt`);
    expect(some.text).not.toContain('b.txt');
    const rest = await download(browser, someFiles, { range: 'bytes=10-', 'if-range': some.headers.get('etag') ?? '' });
    expect(rest.status).toBe(206);
    expect(rest.bytes).toEqual(some.bytes.subarray(10));
    expect((await download(browser, `${path}/files.zip?file=1`)).text).toContain('content of b.txt');
    expect((await browser.get(`${path}/files.zip`)).headers.location).toBe(path);
    for (const wrong of ['file=3', 'file=-1', 'file=x', 'file=0&file=']) {
      expect((await browser.get(`${path}/files.zip?${wrong}`)).statusCode, wrong).toBe(404);
    }
    await expect.poll(() => readPage(browser, path), patient).toContain('Everything has been downloaded');
  });

  test('of a folder is a ZIP of everything below it, with the whole paths, and records its files alone', async () => {
    const { browser, path, id, dropId, account } = await receive('member', 'a.txt', 'b.txt', 'c.txt', 'd.txt', 'e.txt');
    await database.query(
      `update files set path = case name when 'a.txt' then 'Photos/a.txt' when 'b.txt' then 'Photos/Roof/b.txt'
         when 'c.txt' then 'Photos/Roof/Old/c.txt' when 'd.txt' then 'Photos of it/d.txt' else null end where drop_id = $1`,
      [dropId],
    );
    const { body } = await browser.get(path);
    const folders = [
      ...body.matchAll(/href="([^"]*\/folders\/[^"]*)" download aria-label="Download the folder ([^"]*)"/g),
    ];
    expect(folders.map(([, , name]) => name)).toEqual(['Photos', 'Photos/Roof', 'Photos/Roof/Old', 'Photos of it']);
    expect(body.match(/<summary>.*?<\/summary>/gs)?.join()).not.toContain('<a ');
    const roof = folders[1]?.[1] ?? '';
    const zip = await download(browser, roof);
    expect(zip.headers.get('content-disposition')).toContain('Roof.zip');
    for (const name of ['Photos/Roof/b.txt', 'Photos/Roof/Old/c.txt']) expect(zip.text).toContain(name);
    for (const name of ['a', 'd', 'e']) expect(zip.text).not.toContain(`content of ${name}.txt`);
    const rest = await download(browser, roof, { range: 'bytes=10-', 'if-range': zip.headers.get('etag') ?? '' });
    expect(rest.status).toBe(206);
    expect(rest.bytes).toEqual(zip.bytes.subarray(10));
    await expect.poll(() => readPage(browser, path), patient).toContain('2 of 5 downloaded');
    // Chosen together with a file outside of it, by the form.
    const [, key] = /\/folders\/(.*)/.exec(roof) ?? [];
    const names = (await readFiles(account.accountId, id)).map(({ name }) => name);
    const some = await download(browser, `${path}/files.zip?folder=${key}&file=${names.indexOf('e.txt')}`);
    for (const name of ['b', 'c', 'e']) expect(some.text).toContain(`content of ${name}.txt`);
    expect(some.text).not.toContain('content of a.txt');
    for (const wrong of ['x', `${key}9`, key?.replace(/^./, '~')]) {
      expect((await browser.get(`${path}/folders/${wrong}`)).statusCode, wrong).toBe(404);
      expect((await browser.get(`${path}/files.zip?folder=${wrong}`)).statusCode, wrong).toBe(404);
    }
    const other = await signInMember(exchange, app, 'owner');
    expect((await other.browser.get(roof)).statusCode).toBe(404);
  });

  test('of a contact’s file is remembered, although nobody is told', async () => {
    const { browser, path } = await receiveFromContact('empty.txt', '');
    expect((await browser.get(path)).body).toContain('Not downloaded yet');
    expect((await download(browser, `${path}/all.zip`)).status).toBe(200);
    await expect.poll(() => readPage(browser, path), patient).toContain('Everything has been downloaded');
  });

  test('of what was never scanned is refused where a scan is required', async () => {
    const { browser, path, id, account } = await receive('owner', 'a.txt');
    const strict = buildTestServer({
      ...exchange,
      engines: { ...engines, policy: { ...engines.policy, scan: 'required' } },
    });
    const [file] = await readFiles(account.accountId, id);
    const cookie = toCookie(browser);
    for (const rest of [`files/${file?.id}`, 'all.zip', 'files.zip?file=0', `folders/${file?.id}.1`]) {
      const url = `${path}/${rest}`;
      const refused = await strict.inject({ url, headers: { host: 'files.example.org', cookie } });
      expect(refused.statusCode, rest).toBe(404);
      expect(refused.body).not.toContain('content of');
    }
    await strict.close();
  });
});

describe('an entry', () => {
  test('is done, and open again, by whoever may change something', async () => {
    const { browser, base, id, path, account } = await receive('member', 'a.txt');
    const done = await browser.post(`${path}/done`);
    expect(done).toMatchObject({ statusCode: 303, headers: { location: `${base}inbox?done=${id}` } });
    const after = (await browser.get(`${base}inbox?done=${id}`)).body;
    expect(after).not.toContain(`data-row="${id}"`);
    expect(after).toContain(`action="${path}/reopen"`);
    // A reader may not undo it, and another entry is not this one.
    const reader = await signInMember(exchange, app, 'reader', account);
    expect((await reader.browser.get(`${base}inbox?done=${id}`)).body).not.toContain('/reopen"');
    expect((await browser.get(`${base}inbox?done=${account.accountId}`)).body).not.toContain('/reopen"');
    expect((await browser.get(`${base}inbox?part=done`)).body).toContain(id);
    expect((await browser.get(`${base}inbox`)).body).toContain('All done');
    await browser.post(`${path}/done`);
    expect((await browser.post(`${path}/reopen`)).headers.location).toBe(`${path}?notice=reopen`);
    expect((await browser.get(`${base}inbox`)).body).toContain(id);
    // Programs get it again.
    const claim = { leaseId: engines.random.uuid(), leaseSeconds: 60, maxEntries: 1, maxAttempts: 1 };
    expect(await engines.store.inbox.claim(account.accountId, claim)).toMatchObject([{ id }]);
    expect((await browser.get(path)).body).toContain('A program of this account is working on this entry');
    await browser.post(`${path}/done`);
    // The program that was working on it is not told that it was too late.
    expect(await engines.store.inbox.acknowledge(account.accountId, { id, leaseId: claim.leaseId })).toBe(true);
    expect(await readAudit(account.accountId)).toEqual([
      'person inbox.done',
      'person inbox.reopened',
      'person inbox.done',
    ]);
  });

  test('stays as it is for a reader, who may only look', async () => {
    const { browser, path } = await receive('reader', 'a.txt');
    expect((await browser.get(path)).body).not.toContain('/done"');
    for (const change of ['done', 'reopen', 'release']) {
      expect((await browser.post(`${path}/${change}`)).statusCode, change).toBe(403);
    }
  });

  test('that a program has failed on can be released', async () => {
    const { browser, path, account, id } = await receive('member', 'a.txt');
    await database.query(`update inbox_entries set state = 'last_attempt', attempts = 3 where account_id = $1`, [
      account.accountId,
    ]);
    expect((await browser.get(path)).body).toContain('/release"');
    // Pressed twice, or in two tabs.
    for (let press = 0; press < 2; press += 1)
      expect((await browser.post(`${path}/release`)).headers.location).toBe(`${path}?notice=release`);
    expect(await engines.store.inbox.entry(account.accountId, id)).toMatchObject({ state: 'available', attempts: 0 });
  });
});
