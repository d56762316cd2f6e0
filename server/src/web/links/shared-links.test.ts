import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { useTestExchange } from '../../../test/exchange.ts';
import { buildTestServer, testHost as host, postForm } from '../../../test/server.ts';
import { addSharedLink, sharedLink, type TestSharedLink } from '../../../test/shared-links.ts';
import { revokeSentDrop } from '../../domain/drops/revoke-drop.ts';
import { listSharedLinks } from '../../domain/drops/shared-links.ts';
import { deriveCode } from '../../domain/links/issue-code.ts';
import { tokenDigest } from '../../domain/links/link-token.ts';
import { maxWrongCodes } from '../../domain/links/which-receiver.ts';

const exchange = await useTestExchange();
const { engines } = exchange;
const { query } = exchange.database;
let app: FastifyInstance;
beforeEach(() => {
  app = buildTestServer(exchange);
});
afterEach(() => app.close());

type Headers = Record<string, string>;
const get = (url: string, headers: Headers = {}) => app.inject({ url, headers: { host, ...headers } });
const post = (url: string, payload: string, headers: Headers = {}) => postForm(app, url, payload, headers);

/** Opens the link in another browser, as a person's click does. */
async function visit(token: string, form = '') {
  const response = await post(`/d/${token}`, `gesture=pressed${form}`);
  expect(response.statusCode).toBe(303);
  const cookie = String(response.headers['set-cookie']).split(';', 1)[0] as string;
  return { page: String(response.headers.location), secret: cookie.replace('waybill_link=', ''), headers: { cookie } };
}
type Visit = Awaited<ReturnType<typeof visit>>;

const show = ({ page, headers }: Visit) => get(page, headers);
async function listFiles(visited: Visit): Promise<string[]> {
  const { body } = await show(visited);
  return [...new Set([...body.matchAll(/href="(files\/[^"]+)"/g)].map(([, href]) => `${visited.page}${href}`))];
}
/** Over a real connection: only that says how many bytes have left. */
async function download(url: string, { headers }: Visit, more: Headers = {}, server = app) {
  if (!server.server.listening) await server.listen({ port: 0, host: '127.0.0.1' });
  const { port } = server.server.address() as AddressInfo;
  const all = { host, ...headers, ...more };
  const outgoing = request({ host: '127.0.0.1', port, path: url, headers: all, agent: false }).end();
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  return { statusCode: response.statusCode, bytes: await buffer(response) };
}

async function readLink({ sender, dropId, position }: TestSharedLink) {
  const links = await listSharedLinks(engines, sender.accountId, dropId);
  const link = links.find((each) => each.position === position);
  if (!link) throw new Error('no such link');
  return link;
}
/** A response ends before it is recorded. */
const expectLink = (link: TestSharedLink, expected: object) =>
  expect.poll(() => readLink(link), { interval: 20, timeout: 5_000 }).toMatchObject(expected);
const countPlaces = async ({ dropId }: TestSharedLink) =>
  (await query('select from download_places where drop_id = $1 and due_at > now()', [dropId])).length;

/** Only the first bytes are taken. */
async function breakOff(url: string, visited: Visit): Promise<void> {
  (await begin(url, visited)).destroy();
}

async function begin(url: string, { headers }: Visit): Promise<IncomingMessage> {
  if (!app.server.listening) await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const outgoing = request({ host: '127.0.0.1', port, path: url, headers: { host, ...headers }, agent: false }).end();
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  await once(response, 'readable');
  response.read(1);
  response.on('error', () => undefined);
  return response;
}

const agents = [
  'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
  'WhatsApp/2.23.20.0',
  'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
  'TelegramBot (like TwitterBot)',
  'Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)',
];

describe('a link for anybody', () => {
  test.each(agents)('is neither opened nor counted by a preview: %s', async (agent) => {
    const link = await sharedLink(exchange, ['a.txt'], { maxDownloads: 1 });
    for (const method of ['HEAD', 'GET'] as const) {
      const response = await app.inject({ method, url: `/d/${link.token}`, headers: { host, 'user-agent': agent } });
      expect(response.statusCode).toBe(200);
      expect(response.headers['set-cookie']).toBeUndefined();
      expect(response.body).not.toContain('a.txt');
    }
    await expectLink(link, { visits: 0, openedAt: null, downloads: 0, state: 'live' });
  });

  test('is opened by whoever has it, and records nobody', async () => {
    const link = await sharedLink(exchange, ['a.txt', 'b.txt'], { receivers: ['r@example.org'] });
    expect((await get(`/d/${link.token}`)).body).toContain('Whoever has this link can open them.');
    const visited = await visit(link.token);
    const { body } = await show(visited);
    expect(body).not.toContain('r@example.org');
    expect(body).not.toContain('receipt.pdf');
    expect((await get(`${visited.page}receipt.json`, visited.headers)).statusCode).toBe(404);
    for (const url of await listFiles(visited)) expect((await download(url, visited)).statusCode).toBe(200);
    await expectLink(link, { visits: 1, downloads: 1 });
    const events = await query<{ type: string; data: Record<string, unknown> }>(
      "select type, data from events where account_id = $1 and type like 'drop.link%' order by epoch, transaction_id, sequence",
      [link.sender.accountId],
    );
    expect(events.map(({ type }) => type)).toEqual(['drop.link_created', 'drop.link_opened', 'drop.link_downloaded']);
    for (const { data } of events) {
      expect(data).toMatchObject({ shared_link_id: link.position });
      expect(Object.keys(data)).not.toContain('receiver_email');
    }
    const readEvidence = () =>
      query<{ kind: string; data: Record<string, unknown> }>(
        'select kind, data from evidence_entries where drop_id = $1 and position = $2 order by sequence',
        [link.dropId, link.position],
      );
    await expect
      .poll(async () => (await readEvidence()).map(({ kind }) => kind))
      .toEqual([
        'content.consigned',
        'link.shown',
        'link.opened',
        'content.handed_over',
        'link.downloaded',
        'content.handed_over',
      ]);
    expect((await readEvidence())[0]?.data).toMatchObject({ address: '', shared: 'anybody' });
    // The receiver's own story, and their state, are as if there was no such link.
    const [own] = await query<{ opened: boolean }>(
      "select opened_at is not null as opened from links where drop_id = $1 and kind = 'receiver'",
      [link.dropId],
    );
    expect(own).toEqual({ opened: false });
  });

  test('says how often it can be used, and is a page with a next step when it was', async () => {
    const link = await sharedLink(exchange, ['a.txt'], { maxDownloads: 1 });
    const [first, second] = [await visit(link.token), await visit(link.token)];
    const sentence = 'This link can be used for 1 download. What you download in this visit counts once.';
    expect((await get(`/d/${link.token}`)).body).toContain(sentence);
    expect((await show(first)).body).toContain(sentence);
    const [file = ''] = await listFiles(first);
    expect((await download(file, first)).statusCode).toBe(200);
    await expectLink(link, { downloads: 1, state: 'used_up' });
    for (const response of [await get(`/d/${link.token}`), await show(second)]) {
      expect(response.statusCode).toBe(410);
      expect(response.body).toContain('has been used up');
      expect(response.body).toContain(`href="mailto:${link.sender.email}`);
    }
    // The visit that was counted goes on.
    expect((await show(first)).statusCode).toBe(200);
    expect((await download(file, first)).statusCode).toBe(200);
    expect((await download(`${first.page}all.zip`, first)).statusCode).toBe(200);
    await expectLink(link, { downloads: 1 });
  });

  test('counts a visit once: several files, ranges, a ZIP and a transfer that goes on', async () => {
    const link = await sharedLink(exchange, ['a.txt', 'b.txt'], { maxDownloads: 2 });
    const visited = await visit(link.token);
    const [file = '', other = ''] = await listFiles(visited);
    expect((await download(file, visited, { range: 'bytes=0-1' })).statusCode).toBe(206);
    await expectLink(link, { downloads: 0 });
    await expect.poll(() => countPlaces(link)).toBe(0);
    expect((await download(file, visited, { range: 'bytes=2-' })).statusCode).toBe(206);
    await expectLink(link, { downloads: 1 });
    expect((await download(other, visited)).statusCode).toBe(200);
    expect((await download(`${visited.page}all.zip`, visited)).statusCode).toBe(200);
    await expectLink(link, { downloads: 1 });
  });

  test('counts what several visits were sent in parts as one download', async () => {
    const link = await sharedLink(exchange, ['a.txt'], { maxDownloads: 2 });
    const [first, second, third] = [await visit(link.token), await visit(link.token), await visit(link.token)];
    const [file = ''] = await listFiles(first);
    const rename = (from: Visit) => file.replace(first.page, from.page);
    await download(file, first, { range: 'bytes=0-1' });
    await expect.poll(() => countPlaces(link)).toBe(0);
    await download(rename(second), second, { range: 'bytes=2-' });
    await expectLink(link, { downloads: 1 });
    await download(rename(third), third, { range: 'bytes=2-' });
    await expectLink(link, { downloads: 1 });
  });

  test('does not count headers, and gives back the place of a download that broke off', async () => {
    const sender = await exchange.account('r@example.org');
    await exchange.upload(sender, 'large.bin', Buffer.alloc(20 * 1024 * 1024, 1));
    const dropId = await exchange.drop(sender, ['r@example.org'], ['small.txt']);
    const large = { sender, dropId, ...(await addSharedLink(exchange, sender, dropId, { maxDownloads: 1 })) };
    const visited = await visit(large.token);
    const files = await listFiles(visited);
    const file = files.find((url) => url.includes('large')) as string;
    const head = await app.inject({ method: 'HEAD', url: file, headers: { host, ...visited.headers } });
    expect(head.statusCode).toBe(200);
    expect(await countPlaces(large)).toBe(0);
    await breakOff(file, visited);
    await expect.poll(() => countPlaces(large)).toBe(0);
    await expectLink(large, { downloads: 0, state: 'live' });
    const another = await visit(large.token);
    expect((await download(file.replace(visited.page, another.page), another)).statusCode).toBe(200);
    await expectLink(large, { downloads: 1, state: 'used_up' });
  });

  test('is downloaded exactly as often as it may be by 50 visits at once', async () => {
    const link = await sharedLink(exchange, ['a.txt'], { maxDownloads: 3 });
    const visits = await Promise.all(Array.from({ length: 50 }, () => visit(link.token)));
    const [file = ''] = await listFiles(visits[0] as Visit);
    const page = visits[0]?.page as string;
    const other = buildTestServer(exchange);
    for (const server of [app, other]) await server.listen({ port: 0, host: '127.0.0.1' });
    const statuses = await Promise.all(
      visits.map(async (each, index) => {
        const url = file.replace(page, each.page);
        return (await download(url, each, {}, index % 2 === 0 ? app : other)).statusCode;
      }),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(3);
    expect(statuses.every((status) => status === 200 || status === 410 || status === 429)).toBe(true);
    await expectLink(link, { downloads: 3, state: 'used_up' });
    await expect.poll(() => countPlaces(link)).toBe(0);
    await other.close();
  });

  test('frees the place of a process that died once its lease has ended', async () => {
    const link = await sharedLink(exchange, ['a.txt'], { maxDownloads: 1 });
    const [dead, alive] = [await visit(link.token), await visit(link.token)];
    const session = tokenDigest(dead.secret);
    const found = await engines.store.links.bySession(session);
    if (!found) throw new Error('no session');
    const id = engines.random.uuid();
    expect(await engines.store.transaction((tx) => tx.sharedLinks.reserve(found.link, id, 60))).toBe('held');
    const [file = ''] = await listFiles(alive);
    const refused = await download(file, alive);
    expect(refused.statusCode).toBe(429);
    await query("update download_places set due_at = now() - interval '1 second' where drop_id = $1", [link.dropId]);
    expect(await engines.store.sharedLinks.renew(found.link, id, 60)).toBe(false);
    expect((await download(file, alive)).statusCode).toBe(200);
  });
});

describe('a shared link ends', () => {
  test.each([
    [
      'its own end',
      async ({ dropId, position }: TestSharedLink): Promise<unknown> =>
        query('update links set expires_at = now() where drop_id = $1 and position = $2', [dropId, position]),
    ],
    [
      'its revocation',
      async ({ sender, dropId, position }: TestSharedLink) =>
        revokeSentDrop(engines, sender, { type: 'downloadfiles', dropId }, { position }),
    ],
    ['the end of its drop', async ({ dropId }: TestSharedLink) => exchange.expire(dropId)],
    [
      'the revocation of its drop',
      async ({ sender, dropId }: TestSharedLink) =>
        revokeSentDrop(engines, sender, { type: 'downloadfiles', dropId }, {}),
    ],
    [
      'a rule of the account',
      async ({ sender }: TestSharedLink) =>
        engines.store.quotas.setForAccount(sender.accountId, { sharedLinks: 'never' }),
    ],
  ] as const)('by %s', async (_, end) => {
    for (const kind of ['anybody', 'named'] as const) {
      const link = await sharedLink(exchange, ['a.txt'], { kind });
      const visited = await visit(link.token);
      expect((await show(visited)).statusCode).toBe(200);
      await end(link);
      expect((await get(`/d/${link.token}`)).statusCode).toBe(410);
      expect((await show(visited)).statusCode).toBe(410);
      expect((await post(`/d/${link.token}`, 'gesture=pressed')).statusCode).toBe(410);
    }
  });

  test.each([
    ['a code', { secondFactor: 'mail' }],
    ['certain domains', { receiverDomains: ['example.org'] }],
    ['names', { sharedLinks: 'named' }],
  ] as const)('if it is for anybody, and %s are required', async (_, quotas) => {
    const link = await sharedLink(exchange, ['a.txt']);
    const named = await addSharedLink(exchange, link.sender, link.dropId, { kind: 'named' });
    await engines.store.quotas.setForAccount(link.sender.accountId, quotas);
    const response = await get(`/d/${link.token}`);
    expect(response.statusCode).toBe(410);
    expect(response.body).toContain('A rule became stricter.');
    expect((await get(`/d/${named.token}`)).statusCode).toBe(200);
    expect((await readLink(link)).state).toBe('forbidden');
    await expect(addSharedLink(exchange, link.sender, link.dropId)).rejects.toMatchObject({
      code: 'recipient_not_allowed',
    });
  });

  test('within three seconds for who is downloading through it', async () => {
    const sender = await exchange.account('r@example.org');
    await exchange.upload(sender, 'large.bin', Buffer.alloc(40 * 1024 * 1024, 1));
    const dropId = await exchange.drop(sender, ['r@example.org'], ['small.txt']);
    const link = { sender, dropId, ...(await addSharedLink(exchange, sender, dropId, { maxDownloads: 1 })) };
    const visited = await visit(link.token);
    const file = (await listFiles(visited)).find((url) => url.includes('large')) as string;
    const response = await begin(file, visited);
    await engines.store.quotas.setForAccount(sender.accountId, { sharedLinks: 'never' });
    // Its place is free once it was cut.
    await expect.poll(() => countPlaces(link), { timeout: 3_000 }).toBe(0);
    response.destroy();
    await expectLink(link, { downloads: 0, state: 'forbidden' });
  });

  test('by the strictest rule of the server, the group and the account', async () => {
    const link = await sharedLink(exchange, ['a.txt']);
    const groupId = engines.random.uuid();
    await engines.store.quotas.createGroup(groupId, `group ${groupId}`);
    await engines.store.quotas.join(link.sender.accountId, groupId);
    await engines.store.quotas.setForAccount(link.sender.accountId, { sharedLinks: 'anybody' });
    expect((await get(`/d/${link.token}`)).statusCode).toBe(200);
    await engines.store.quotas.setForGroup(groupId, { sharedLinks: 'named' });
    expect((await get(`/d/${link.token}`)).statusCode).toBe(410);
    await engines.store.quotas.setForGroup(groupId, { sharedLinks: null });
    expect((await get(`/d/${link.token}`)).statusCode).toBe(200);
    await app.close();
    app = buildTestServer(exchange, { policy: { ...engines.policy, sharedLinks: 'never' } });
    expect((await get(`/d/${link.token}`)).statusCode).toBe(410);
  });
});

/** The code that was sent for this browser, if it was sent to anybody. */
async function readCode({ secret }: Visit): Promise<string | undefined> {
  const [row] = await query<{ id: string; account_id: string; drop_id: string; sent: boolean }>(
    `select code_id as id, session.account_id, session.drop_id, exists (
       select from messages where messages.id = code_id) as sent
     from link_sessions as session where digest = $1`,
    [tokenDigest(secret)],
  );
  if (!row?.sent) return undefined;
  const key = await engines.store.links.key({ accountId: row.account_id, dropId: row.drop_id });
  if (!key) throw new Error('no key');
  return deriveCode(await engines.dayKeys.unwrap(key.wrapped, key.day, row.drop_id), row.id);
}
const another = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0');

describe('a link for the people named', () => {
  test('asks which of them somebody is, and leads to their own page', async () => {
    const receivers = ['kim@example.org', 'jonas@example.org'];
    const link = await sharedLink(exchange, ['plan.txt'], { kind: 'named', receivers });
    const landing = await get(`/d/${link.token}`);
    expect(landing.body).toContain('has sent files to several people');
    const visited = await visit(link.token, '&email=Kim%40example.org');
    const asked = await show(visited);
    expect(asked.body).toContain('Enter the code from your e');
    for (const page of [landing.body, asked.body])
      for (const secret of [...receivers, 'plan.txt']) expect(page).not.toContain(secret);
    for (const path of [
      'files/00000000-0000-7000-8000-000000000000/plan.txt',
      'all.zip',
      'SHA256SUMS',
      'delivered',
      'receipt.pdf',
    ])
      expect([403, 404]).toContain((await get(`${visited.page}${path}`, visited.headers)).statusCode);
    const code = (await readCode(visited)) as string;
    expect((await post(`${visited.page}code`, `code=${another(code)}`, visited.headers)).statusCode).toBe(403);
    expect((await post(`${visited.page}code`, `code=${code}`, visited.headers)).statusCode).toBe(303);
    const page = await show(visited);
    expect(page.body).toContain('plan.txt');
    const [file = ''] = await listFiles(visited);
    expect((await download(file, visited)).statusCode).toBe(200);
    const readStates = () =>
      query<{ email: string; opened: boolean; completed: boolean }>(
        `select email, opened_at is not null as opened, completed_at is not null as completed from links
       where drop_id = $1 and kind = 'receiver' order by position`,
        [link.dropId],
      );
    await expect.poll(readStates).toEqual([
      { email: 'kim@example.org', opened: true, completed: true },
      { email: 'jonas@example.org', opened: false, completed: false },
    ]);
    await expectLink(link, { downloads: 0, visits: 1 });
  });

  test('responds alike to the address of a receiver and to any other', async () => {
    const link = await sharedLink(exchange, ['a.txt'], { kind: 'named', receivers: ['kim@example.org'] });
    const pages: string[] = [];
    for (const address of ['kim@example.org', 'eve@example.org']) {
      const visited = await visit(link.token);
      const response = await post(`${visited.page}which`, `email=${encodeURIComponent(address)}`, visited.headers);
      expect(response.statusCode).toBe(303);
      pages.push((await show(visited)).body.replaceAll(visited.page, ''));
      const right = await readCode(visited);
      expect(right !== undefined).toBe(address === 'kim@example.org');
      const wrong = await post(`${visited.page}code`, `code=${another(right ?? '000000')}`, visited.headers);
      pages.push(wrong.body.replaceAll(visited.page, ''));
    }
    expect(pages.slice(0, 2)).toEqual(pages.slice(2));
  });

  test('takes no code that was sent to nobody', async () => {
    const link = await sharedLink(exchange, ['a.txt'], { kind: 'named' });
    const visited = await visit(link.token, '&email=eve%40example.org');
    const [row] = await query<{ code_id: string; account_id: string }>(
      'select code_id, account_id from link_sessions where digest = $1',
      [tokenDigest(visited.secret)],
    );
    const key = await engines.store.links.key({ accountId: link.sender.accountId, dropId: link.dropId });
    if (!row || !key) throw new Error('no code');
    const code = deriveCode(await engines.dayKeys.unwrap(key.wrapped, key.day, link.dropId), row.code_id);
    expect((await post(`${visited.page}code`, `code=${code}`, visited.headers)).statusCode).toBe(403);
    expect((await show(visited)).body).not.toContain('a.txt');
  });

  test('with 100 receivers takes no more wrong codes than one with a single receiver', async () => {
    const receivers = Array.from({ length: 100 }, (_, index) => `r${index}@example.org`);
    const link = await sharedLink(exchange, ['a.txt'], { kind: 'named', receivers });
    const visits = await Promise.all(
      receivers.slice(0, 60).map((address) => visit(link.token, `&email=${encodeURIComponent(address)}`)),
    );
    const statuses = await Promise.all(
      visits.map(async (each) => {
        const code = another((await readCode(each)) as string);
        const tries = Array.from({ length: 5 }, () => post(`${each.page}code`, `code=${code}`, each.headers));
        return (await Promise.all(tries)).map(({ statusCode }) => statusCode);
      }),
    );
    expect(statuses.flat().every((status) => status === 403 || status === 410)).toBe(true);
    const [row] = await query<{ wrong_codes: number }>(
      'select wrong_codes from links where drop_id = $1 and position = $2',
      [link.dropId, link.position],
    );
    expect(row?.wrong_codes).toBe(maxWrongCodes);
    // Nobody gets in any more, even with the right code, and each has a link of their own.
    const last = visits.at(-1) as Visit;
    const code = (await readCode(last)) as string;
    expect((await post(`${last.page}code`, `code=${code}`, last.headers)).statusCode).toBe(410);
    expect((await get(`/d/${link.token}`)).statusCode).toBe(410);
  }, 60_000);
});
