import { randomUUID, randomUUIDv7 } from 'node:crypto';
import { fc, test as property } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { readyUpload } from '../../../../test/account-uploads.ts';
import { deriveToken } from '../../../../test/links.ts';
import { type AskV1, requestV1 } from '../../../../test/request-v1.ts';
import { buildTestServer, testHost } from '../../../../test/server.ts';
import { useTestServer } from '../../../../test/use-test-server.ts';
import type { Quotas } from '../../../domain/accounts/quota-store.ts';
import type { Actor } from '../../../domain/actor.ts';
import type { Link } from '../../../domain/links/link-store.ts';
import { tokenDigest } from '../../../domain/links/link-token.ts';
import { toReference } from '../../../domain/reference.ts';

const { exchange, app } = await useTestServer();

type Sender = Actor & { apiKey: string };
const ask = (sender: Sender, method: 'GET' | 'POST', path: string, more: AskV1 = {}) =>
  requestV1(app, method, path, { key: sender.apiKey, ...more });
const upload = (sender: Actor, path = 'report.txt', content?: string) => readyUpload(exchange, sender, path, content);

/** Sends a drop with one file, and returns the response. */
async function send(sender: Sender, body: object = {}) {
  const input = { uploads: [await upload(sender)], receivers: [{ email: 'anna@example.org' }], ...body };
  const response = await ask(sender, 'POST', '/drops', { body: input });
  expect(response.status, response.text).toBe(201);
  return { ...response, drop: response.json(), etag: String(response.headers['etag']) };
}

const requestPage = async (link: string) =>
  (await app.inject({ url: new URL(link).pathname, headers: { host: testHost, accept: 'text/html' } })).statusCode;

/** Counts the rows of every table. */
async function rowCounts(): Promise<Record<string, number>> {
  const tables = await exchange.database.query<{ name: string }>(
    `select quote_ident(schemaname) || '.' || quote_ident(relname) as name from pg_stat_user_tables order by 1`,
  );
  const counts: Record<string, number> = {};
  for (const { name } of tables) {
    const [row] = await exchange.database.query<{ count: string }>(`select count(*) from ${name}`);
    counts[name] = Number(row?.count);
  }
  return counts;
}

const quotas = (sender: Actor, changes: Partial<Quotas>) =>
  exchange.engines.store.quotas.setForAccount(sender.accountId, changes);

describe('POST /drops', () => {
  test('turns the uploads into a drop, with a mail to each receiver', async () => {
    const sender = await exchange.account();
    const uploads = [await upload(sender, 'plans/a.txt'), await upload(sender, 'b.txt', 'more')];
    const { drop, headers, etag } = await send(sender, {
      uploads,
      receivers: [
        { email: 'Anna@Example.org', name: 'Anna', language: 'sv', phone: '46701234567' },
        { email: 'bo@example.org' },
      ],
      message: 'The drawings.',
      expires_in: 3 * 86_400,
      external_id: 'order-4711',
      metadata: { project: 'bridge' },
    });
    expect(drop).toMatchObject({
      reference: toReference(drop.id),
      state: 'live',
      message: 'The drawings.',
      external_id: 'order-4711',
      metadata: { project: 'bridge' },
      second_factor: 'off',
      notify: true,
      receiver_count: 2,
      file_count: 2,
      receivers: [
        { id: 0, email: 'anna@example.org' },
        { id: 1, email: 'bo@example.org' },
      ],
    });
    expect(JSON.stringify(drop)).not.toContain('/d/');
    expect(Date.parse(drop.expires_at) - Date.parse(drop.created_at)).toBe(3 * 86_400_000);
    expect(headers['location']).toBe(`https://${testHost}/api/v1/drops/${drop.id}`);

    const read = await ask(sender, 'GET', `/drops/${drop.id}`);
    expect(read.headers['etag']).toBe(etag);
    const { receivers, files } = read.json();
    expect(receivers).toMatchObject([
      { id: 0, email: 'anna@example.org', name: 'Anna', phone: '46701234567', language: 'sv', state: 'waiting' },
      { id: 1, email: 'bo@example.org', name: null, phone: '', language: '', state: 'waiting' },
    ]);
    expect(files).toMatchObject([
      { id: uploads[0], name: 'a.txt', path: 'plans/a.txt', state: 'available', receivers_delivered: 0 },
      { id: uploads[1], name: 'b.txt', size: 4, scan: 'unscanned', unscanned_reason: 'off', state: 'available' },
    ]);
    const messages = await exchange.database.query(
      'select kind, receiver from messages where drop_id = $1 order by 2',
      [drop.id],
    );
    expect(messages).toEqual([
      { kind: 'invitation', receiver: 'anna@example.org' },
      { kind: 'invitation', receiver: 'bo@example.org' },
    ]);
    expect(
      (await ask(sender, 'POST', '/drops', { body: { uploads, receivers: [{ email: 'c@example.org' }] } })).status,
    ).toBe(404);
  });

  test('has a title of one line, which the receivers and every list see', async () => {
    const [sender, receiver] = [await exchange.account(), await exchange.account()];
    const title = 'Drawings, May: \u05d0\u05d1';
    const { drop } = await send(sender, { title, receivers: [{ email: receiver.email }], notify: false });
    expect(drop.title).toBe(title);
    const titles = async (asker: Sender, path: string) =>
      (await ask(asker, 'GET', path)).json().data.map((item: { title: string }) => item.title);
    expect(await titles(sender, '/drops')).toEqual([title]);
    expect(await titles(sender, '/drops?contains=drawings')).toEqual([title]);
    expect(await titles(receiver, '/inbox')).toEqual([title]);
    expect((await send(sender)).drop.title).toBe(null);
    const body = { uploads: [], message: 'x', receivers: [{ email: 'a@example.org' }] };
    for (const wrong of ['', ' ', 'two\nlines', 'two\u2028lines', 'a\u0000', 'x'.repeat(201)]) {
      const refused = await ask(sender, 'POST', '/drops/check', { body: { ...body, title: wrong } });
      expect([wrong, refused.status, refused.json().errors?.[0].pointer]).toEqual([wrong, 400, '/title']);
    }
  });

  test('returns the links instead of sending mails if `notify` is false', async () => {
    const sender = await exchange.account();
    const { drop } = await send(sender, {
      receivers: [{ email: 'a@example.org' }, { email: 'b@example.org' }],
      notify: false,
    });
    expect(drop.notify).toBe(false);
    const links = drop.receivers.map(({ link }: { link: string }) => link);
    expect(links[0]).toBe(`https://${testHost}/d/${await deriveToken(exchange, sender, drop.id, 0)}`);
    for (const link of links) expect(await requestPage(link)).toBe(200);
    expect(await exchange.database.query('select from messages where drop_id = $1', [drop.id])).toHaveLength(0);
    const reminder = () => exchange.database.query('select remind_at from drops where id = $1', [drop.id]);
    expect(await reminder()).toEqual([{ remind_at: null }]);
    await ask(sender, 'POST', `/drops/${drop.id}/extend`, { body: { expires_in: 20 * 86_400 } });
    expect(await reminder()).toEqual([{ remind_at: null }]);
  });

  test('sends no reminder and no mail again if `notify` is false', async () => {
    const sender = await exchange.account();
    const { drop } = await send(sender, { notify: false });
    for (const path of ['remind', 'receivers/0/resend']) {
      const refused = await ask(sender, 'POST', `/drops/${drop.id}/${path}`);
      expect([path, refused.status, refused.json().code]).toEqual([path, 400, 'invalid_input']);
      expect(refused.json().detail).toContain('get no mails');
    }
    expect(await exchange.database.query('select from messages where drop_id = $1', [drop.id])).toHaveLength(0);
  });

  test('names the domains that are allowed, and an address that is given twice', async () => {
    const sender = await exchange.account();
    await quotas(sender, { receiverDomains: ['acme.com', 'acme.se'] });
    const emails = ['a@other.org', 'b@acme.com', 'B@acme.com'];
    const body = { uploads: [], receivers: emails.map((email) => ({ email })) };
    const refused = await ask(sender, 'POST', '/drops/check', { body });
    expect(refused.json().errors).toEqual([
      {
        pointer: '/receivers/0/email',
        code: 'recipient_not_allowed',
        detail:
          'The account may not send to a@other.org, but only to acme.com and acme.se. Choose another address, or ask the administrator.',
      },
      {
        pointer: '/receivers/2/email',
        code: 'repeated',
        detail: 'b@acme.com is given twice. Name each receiver once.',
      },
    ]);
  });

  test('completes a receiver from the account’s contact', async () => {
    const sender = await exchange.account();
    const contact = { email: 'kim@example.org', name: 'Kim', phone: '46709999999', language: 'de', groups: ['x'] };
    await exchange.engines.store.contacts.replace(sender.accountId, [contact]);
    const { drop } = await send(sender, { receivers: [{ email: 'kim@example.org', language: 'fr' }] });
    expect((await ask(sender, 'GET', `/drops/${drop.id}`)).json().receivers).toMatchObject([
      { phone: '46709999999', language: 'fr' },
    ]);
  });

  test('puts the drop into the inbox of a receiver with an account', async () => {
    const [sender, receiver] = [await exchange.account(), await exchange.account()];
    const { drop } = await send(sender, { receivers: [{ email: receiver.email }, { email: sender.email }] });
    const inbox = () => exchange.engines.store.drops.inboxPage(receiver.accountId, undefined, 10);
    expect(await inbox()).toMatchObject([{ dropId: drop.id }]);
    await ask(sender, 'POST', `/drops/${drop.id}/receivers/0/revoke`);
    expect(await inbox()).toEqual([]);
  });

  test('does not return links to an account that may send only to certain domains, also when it gets another receiver', async () => {
    const sender = await exchange.account();
    const body = { uploads: [await upload(sender)], receivers: [{ email: 'a@example.org' }], notify: false };
    const { id } = (await ask(sender, 'POST', '/drops', { body })).json();
    await quotas(sender, { receiverDomains: ['example.org'] });
    const refused = await ask(sender, 'POST', '/drops', { body: { ...body, uploads: [await upload(sender)] } });
    const added = await ask(sender, 'POST', `/drops/${id}/receivers`, { body: { email: 'b@example.org' } });
    for (const { status, json } of [refused, added]) {
      expect([status, json().code]).toEqual([403, 'recipient_not_allowed']);
    }
    const { notify: _, ...notified } = body;
    expect(
      (await ask(sender, 'POST', '/drops', { body: { ...notified, uploads: [await upload(sender)] } })).status,
    ).toBe(201);
  });

  test('lists every error, and changes nothing', async () => {
    const [sender, other] = [await exchange.account(), await exchange.account()];
    const [mine, same, theirs] = [await upload(sender), await upload(sender), await upload(other)];
    await exchange.engines.store.quotas.countDispatch(sender.accountId, { drops: 1, mails: 0 });
    await quotas(sender, { receiverDomains: ['example.org'], secondFactor: 'mail', dropsPerDay: 1 });
    const body = {
      uploads: [mine, mine, same, theirs, randomUUID()],
      receivers: [
        { email: 'anna@example.org' },
        { email: 'nobody' },
        { email: 'ANNA@example.org' },
        { email: 'eve@example.com' },
        { email: 'bo@example.org', phone: '+46 70', language: '???' },
      ],
      expires_in: 60,
      second_factor: 'off',
    };
    const before = await rowCounts();
    const response = await ask(sender, 'POST', '/drops', { body });
    expect([response.status, response.json().code]).toEqual([400, 'invalid_input']);
    const faults = response
      .json()
      .errors.map(({ pointer, code }: { pointer: string; code: string }) => `${pointer} ${code}`);
    expect(new Set(faults)).toEqual(
      new Set([
        ' daily_limit',
        '/expires_in invalid',
        '/receivers/1/email invalid',
        '/receivers/2/email repeated',
        '/receivers/3/email recipient_not_allowed',
        '/receivers/4/language invalid',
        '/receivers/4/phone invalid',
        '/second_factor invalid',
        '/uploads/1 repeated',
        '/uploads/2 repeated',
        '/uploads/3 not_found',
        '/uploads/4 not_found',
      ]),
    );
    expect(faults).toHaveLength(12);
    const dry = await ask(sender, 'POST', '/drops/check', { body });
    expect(dry.json().errors).toEqual(response.json().errors);
    expect(await rowCounts()).toEqual(before);
  });

  test('lists every text that cannot be stored, and changes nothing', async () => {
    const sender = await exchange.account();
    const body = {
      uploads: [await upload(sender)],
      receivers: [{ email: 'anna@example.org' }, { email: 'bo@example.org', name: 'B\0' }],
      message: 'a\0b',
      external_id: '\udc00',
      metadata: { note: '\ud800' },
    };
    const before = await rowCounts();
    const response = await ask(sender, 'POST', '/drops', { body });
    expect([response.status, response.json().code]).toEqual([400, 'invalid_input']);
    const pointers = response.json().errors.map(({ pointer }: { pointer: string }) => pointer);
    expect(pointers).toEqual(['/receivers/1/name', '/message', '/external_id', '/metadata/note']);
    expect(await rowCounts()).toEqual(before);
    const query = await ask(sender, 'GET', '/drops?external_id=a%00');
    expect(query.json().errors).toMatchObject([{ parameter: 'external_id' }]);
  });

  test('has the code of its errors if they all have the same', async () => {
    const sender = await exchange.account();
    await quotas(sender, { mailsPerDay: 1 });
    const body = {
      uploads: [await upload(sender)],
      receivers: [{ email: 'a@example.org' }, { email: 'b@example.org' }],
    };
    const refused = await ask(sender, 'POST', '/drops', { body });
    expect([refused.status, refused.json().code]).toEqual([429, 'daily_limit']);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect((await ask(sender, 'POST', '/drops', { body: { ...body, notify: false } })).status).toBe(201);
  });

  test('accepts one of the two expiry fields, within the limits of the account', async () => {
    const sender = await exchange.account();
    const body = { uploads: [await upload(sender)], receivers: [{ email: 'a@example.org' }] };
    const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
    for (const [expiry, pointer] of [
      [{ expires_in: 86_400, expires_at: inDays(2) }, '/expires_at'],
      [{ expires_at: inDays(31) }, '/expires_at'],
      [{ expires_at: inDays(-1) }, '/expires_at'],
      [{ expires_in: 31 * 86_400 }, '/expires_in'],
    ] as const) {
      const refused = await ask(sender, 'POST', '/drops', { body: { ...body, ...expiry } });
      expect([refused.status, refused.json().errors[0].pointer]).toEqual([400, pointer]);
    }
    const until = inDays(2);
    const { drop } = await send(sender, { ...body, expires_at: until });
    expect(Math.abs(Date.parse(drop.expires_at) - Date.parse(until))).toBeLessThan(60_000);
    const usual = await send(sender);
    expect(Date.parse(usual.drop.expires_at) - Date.parse(usual.drop.created_at)).toBe(7 * 86_400_000);
  });

  test('requires a code if the drop does, and phone numbers for codes by SMS', async () => {
    const sender = await exchange.account();
    const { drop } = await send(sender, { second_factor: 'mail', notify: false });
    const token = new URL(drop.receivers[0].link).pathname.split('/').at(-1) as string;
    expect(await exchange.engines.store.links.byToken(tokenDigest(token))).toMatchObject({ secondFactor: 'mail' });
    const withSms = buildTestServer(exchange, { sms: { send: async () => undefined } as never });
    const body = { uploads: [await upload(sender)], receivers: [{ email: 'a@example.org' }], second_factor: 'sms' };
    const refused = await requestV1(withSms, 'POST', '/drops', { key: sender.apiKey, body });
    expect([refused.status, refused.json().errors]).toEqual([
      400,
      [expect.objectContaining({ pointer: '/receivers/0/phone' })],
    ]);
    await withSms.close();
    const without = await ask(sender, 'POST', '/drops', { body });
    expect(without.json().errors[0]).toMatchObject({ pointer: '/second_factor' });
  });

  test('requires phone numbers, also of added receivers, if the account requires codes by SMS', async () => {
    const sender = await exchange.account();
    const { drop } = await send(sender, { second_factor: 'mail' });
    await quotas(sender, { secondFactor: 'sms' });
    const withSms = buildTestServer(exchange, { sms: { send: async () => undefined } as never });
    const asking = (path: string, body: object) => requestV1(withSms, 'POST', path, { key: sender.apiKey, body });
    const add = (person: object) => asking(`/drops/${drop.id}/receivers`, { email: 'b@example.org', ...person });
    expect((await add({})).json().errors).toMatchObject([{ pointer: '/phone' }]);
    expect((await add({ phone: '46701234567' })).status).toBe(201);
    const body = { uploads: [await upload(sender)], receivers: [{ email: 'a@example.org' }] };
    expect((await asking('/drops', body)).json().errors).toMatchObject([{ pointer: '/receivers/0/phone' }]);
    await withSms.close();
    // Without a gateway, codes are sent by mail.
    expect((await ask(sender, 'POST', '/drops', { body })).status).toBe(201);
  });

  test('shows the current second factor when the rule of the account or its group changes', async () => {
    const sender = await exchange.account();
    const [{ drop: weak }, { drop: strong }] = [await send(sender), await send(sender, { second_factor: 'mail' })];
    const shown = async () => {
      const list: { id: string; second_factor: string }[] = (await ask(sender, 'GET', '/drops')).json().data;
      const found = new Map(list.map((drop) => [drop.id, drop.second_factor]));
      const one = (await ask(sender, 'GET', `/drops/${weak.id}`)).json();
      return [one.second_factor, found.get(weak.id), found.get(strong.id)];
    };
    expect(await shown()).toEqual(['off', 'off', 'mail']);
    const groupId = randomUUIDv7();
    await exchange.engines.store.quotas.createGroup(groupId, groupId);
    await exchange.engines.store.quotas.setForGroup(groupId, { secondFactor: 'sms' });
    await exchange.database.query('update accounts set group_id = $2 where id = $1', [sender.accountId, groupId]);
    expect(await shown()).toEqual(['sms', 'sms', 'sms']);
    await quotas(sender, { secondFactor: 'off' });
    expect(await shown()).toEqual(['off', 'off', 'mail']);
  });

  test('changes nothing in a dry run, also with an Idempotency-Key', async () => {
    const sender = await exchange.account();
    const body = { uploads: [await upload(sender, 'x.txt', 'abc')], receivers: [{ email: 'a@example.org' }] };
    const headers = { 'idempotency-key': 'dry' };
    const before = await rowCounts();
    const dry = await ask(sender, 'POST', '/drops/check', { body, headers });
    expect([dry.status, dry.json()]).toEqual([
      200,
      { receiver_count: 1, file_count: 1, size: 3, expires_in: 7 * 86_400 },
    ]);
    expect(await rowCounts()).toEqual(before);
    expect((await ask(sender, 'POST', '/drops', { body, headers })).status).toBe(201);
    expect((await ask(sender, 'POST', '/drops?dry_run=true', { body })).status).toBe(400);
  });

  test('is checked before there are uploads', async () => {
    const sender = await exchange.account();
    await exchange.engines.store.quotas.setForAccount(sender.accountId, { receiverDomains: ['example.org'] });
    const check = (receiver: string, expiresIn?: number) =>
      ask(sender, 'POST', '/drops/check', {
        body: { uploads: [], receivers: [{ email: receiver }], ...(expiresIn && { expires_in: expiresIn }) },
      });
    expect((await check('a@example.org')).json()).toEqual({
      receiver_count: 1,
      file_count: 0,
      size: 0,
      expires_in: 7 * 86_400,
    });
    expect((await check('a@example.com')).json()).toMatchObject({ code: 'recipient_not_allowed' });
    const detail = 'Choose a lifetime of 1 to 30 days: that is what the account may give.';
    expect((await check('a@example.org', 31 * 86_400)).json()).toMatchObject({
      errors: [{ pointer: '/expires_in', detail }],
    });
    expect((await check('a@example.org', 14)).json().detail).toBe(detail.replace(':', ', not of 14 seconds:'));
    await exchange.engines.store.quotas.setForAccount(sender.accountId, { lifetimes: [1, 3, 7] });
    expect((await check('a@example.org', 2 * 86_400)).json().detail).toBe(
      'Choose a lifetime of 1, 3 or 7 days: that is what the account may give.',
    );
    const body = { uploads: [], receivers: [{ email: 'a@example.org' }] };
    const without = await ask(sender, 'POST', '/drops', { body });
    expect([without.status, without.json().errors]).toMatchObject([400, [{ pointer: '/uploads' }]]);
  });

  test('returns the first response when it is repeated', async () => {
    const sender = await exchange.account();
    const body = { uploads: [await upload(sender)], receivers: [{ email: 'a@example.org' }], notify: false };
    const repeated = () => ask(sender, 'POST', '/drops', { body, headers: { 'idempotency-key': 'again' } });
    const [first, second] = [await repeated(), await repeated()];
    expect([second.status, second.text]).toEqual([201, first.text]);
    expect(await requestPage(second.json().receivers[0].link)).toBe(200);
  });

  test('sends an upload once, however many requests contain it', async () => {
    const sender = await exchange.account();
    const body = { uploads: [await upload(sender)], receivers: [{ email: 'a@example.org' }] };
    const responses = await Promise.all(Array.from({ length: 8 }, () => ask(sender, 'POST', '/drops', { body })));
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(responses.filter(({ status }) => status === 404)).toHaveLength(7);
    expect((await ask(sender, 'GET', '/drops')).json().data).toHaveLength(1);
  });
});

describe('GET /drops', () => {
  const ids = async (sender: Sender, query: string) =>
    (await ask(sender, 'GET', `/drops?${query}`)).json().data.map(({ id }: { id: string }) => id);

  test('finds drops by a part of any of their texts, among the newest and by the index', async () => {
    const sender = await exchange.account();
    const { drop } = await send(sender, {
      receivers: [{ email: 'anna@example.org', name: 'Åsa Lindgren' }],
      message: 'The 100% final_plan\\',
      external_id: 'order-4711',
    });
    const { id, reference } = drop;
    const other = (await send(await exchange.account(), { receivers: [{ email: 'anna@example.org' }] })).drop.id;
    const find = (text: string) => ids(sender, `contains=${encodeURIComponent(text)}`);
    const [, first = '', second = ''] = reference.split('-');
    const parts = ['nna@ex', 'ÅSA L', 'indgren', '% FINAL_', 'plan\\', '-471', reference, first, second.toLowerCase()];
    for (const text of parts) expect([text, await find(text)]).toEqual([text, [id]]);
    for (const text of ['100_', '%%', 'nobody', 'WB-0000']) expect([text, await find(text)]).toEqual([text, []]);
    expect(await find('na')).toEqual([id]);
    expect((await ask(sender, 'GET', '/drops?contains=a&search=a')).status).toBe(400);
    expect(await ids(sender, 'contains=anna&state=revoked')).toEqual([]);
    expect(await ids(sender, 'contains=anna')).not.toContain(other);
    // No longer among the newest.
    await exchange.database.query(
      `insert into drops (account_id, id, type, message, lifetime, expires_at, receiver_count, file_count)
       select $1, ('fffff' || lpad(to_hex(n), 3, '0') || '-ffff-7fff-bfff-ffffffffffff')::uuid, 'downloadfiles', '', 1, now() + interval '1 day', 0, 0
       from generate_series(1, 1000) as n`,
      [sender.accountId],
    );
    for (const text of parts) expect([text, await find(text)]).toEqual([text, [id]]);
    expect(await find('na')).toEqual([]);
  });

  test('finds drops by state, receiver, external id, time and search', async () => {
    const sender = await exchange.account('old@example.org');
    const first = (await send(sender, { receivers: [{ email: 'anna@example.org' }], external_id: 'A' })).drop.id;
    const second = (await send(sender, { receivers: [{ email: 'bo@example.org' }, { email: 'anna@example.org' }] }))
      .drop;
    const third = (await send(sender, { receivers: [{ email: 'c@example.org' }], external_id: 'anna@example.org' }))
      .drop.id;
    await exchange.drop(sender, ['old@example.org'], ['x.txt']);
    expect(await ids(sender, '')).toEqual([expect.any(String), third, second.id, first]);
    await ask(sender, 'POST', `/drops/${first}/revoke`, { body: {} });
    expect(await ids(sender, 'state=revoked')).toEqual([first]);
    expect(await ids(sender, 'state=live&receiver_email=anna%40example.org')).toEqual([second.id]);
    expect(await ids(sender, 'receiver_email=Anna@EXAMPLE.org')).toEqual([second.id, first]);
    expect(await ids(sender, 'external_id=A')).toEqual([first]);
    expect(await ids(sender, 'search=anna@example.org')).toEqual([third, second.id, first]);
    expect(await ids(sender, `search=${second.reference.toLowerCase()}`)).toEqual([second.id]);
    expect(await ids(sender, 'search=A')).toEqual([first]);
    expect(await ids(sender, 'search=WB-0000-0000')).toEqual([]);
    expect(await ids(sender, `created_after=${second.created_at}&created_before=2100-01-01T00:00:00Z`)).toHaveLength(3);
    expect(await ids(sender, `created_before=${second.created_at}`)).toEqual([first]);
    await exchange.expire(second.id);
    expect(await ids(sender, 'state=live')).not.toContain(second.id);
    await exchange.engines.store.drops.endExpired(100);
    expect(await ids(sender, 'state=expired')).toEqual([second.id]);
    expect((await ask(sender, 'GET', '/drops?search=A&external_id=A')).status).toBe(400);
    expect((await ask(sender, 'GET', '/drops?receiver_email=nobody')).status).toBe(400);
    expect((await ask(sender, 'GET', '/drops?limit=101')).status).toBe(400);
    expect((await ask(sender, 'GET', '/drops?colour=red')).status).toBe(400);
    expect((await ask(sender, 'GET', '/drops?search=%00')).status).toBe(400);
    expect((await ask(sender, 'GET', '/drops?external_id=a%00')).status).toBe(400);
  });

  test('refuses a cursor of another filter or another account', async () => {
    const [sender, other] = [await exchange.account(), await exchange.account()];
    for (const account of [sender, sender, other, other]) await send(account);
    const { next_cursor: cursor } = (await ask(sender, 'GET', '/drops?limit=1')).json();
    expect(cursor).toEqual(expect.any(String));
    expect((await ask(sender, 'GET', `/drops?limit=5&cursor=${cursor}`)).json()).toMatchObject({
      data: [{}],
      next_cursor: null,
    });
    for (const [account, query] of [
      [sender, `state=live&cursor=${cursor}`],
      [other, `cursor=${cursor}`],
      [sender, `cursor=${cursor}x`],
    ] as const) {
      const refused = await ask(account, 'GET', `/drops?${query}`);
      expect([refused.status, refused.json().errors[0].parameter]).toEqual([400, 'cursor']);
    }
  });

  const step = fc.oneof(fc.constant('read' as const), fc.constant('insert' as const));
  property.prop([fc.integer({ min: 0, max: 12 }), fc.integer({ min: 1, max: 4 }), fc.array(step, { maxLength: 20 })], {
    numRuns: 25,
  })('misses and repeats nothing while drops are added', async (count, limit, steps) => {
    const sender = await exchange.account();
    const insert = async () => {
      const id = randomUUIDv7();
      await exchange.database.query(
        `insert into drops (account_id, id, type, message, lifetime, expires_at, receiver_count, file_count, key_day)
         values ($1, $2, 'downloadfiles', '', 1, now() + interval '1 day', 0, 0, 0)`,
        [sender.accountId, id],
      );
      return id;
    };
    const there: string[] = [];
    for (let number = 0; number < count; number += 1) there.push(await insert());
    const added: string[] = [];
    const seen: string[] = [];
    const readAfter = async (cursor: string | undefined): Promise<string | null> => {
      const after = cursor === undefined ? '' : `&cursor=${cursor}`;
      const page = (await ask(sender, 'GET', `/drops?limit=${limit}${after}`)).json();
      seen.push(...page.data.map(({ id }: { id: string }) => id));
      return page.next_cursor;
    };
    let next: string | null | undefined;
    for (const what of steps) {
      if (what === 'insert') added.push(await insert());
      else if (next !== null) next = await readAfter(next);
    }
    while (next !== null) next = await readAfter(next);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.filter((id) => !added.includes(id))).toEqual(there.toSorted().toReversed());
  });
});

describe('GET /drops/:id', () => {
  test('shows what each receiver did, and to how many each file was sent', async () => {
    const sender = await exchange.account();
    const emails = ['a', 'b', 'c', 'd'].map((name) => ({ email: `${name}@example.org` }));
    const uploads = [await upload(sender, 'one.txt', '1'), await upload(sender, 'two.txt', '22')];
    const { drop } = await send(sender, { uploads, receivers: emails });
    const { store } = exchange.engines;
    const link = async (position: number) =>
      (await store.links.byToken(tokenDigest(await deriveToken(exchange, sender, drop.id, position)))) as Link;
    const files = uploads.map((id, index) => ({
      file: { id, sizeBytes: index + 1 },
      sent: { start: 0, end: index + 1 },
    }));
    await store.links.open(await link(0), Buffer.alloc(32, drop.id), {
      keepSeconds: 60,
      programSeconds: null,
      maxSessions: 5,
    });
    await store.links.deliver(await link(0), files.slice(0, 1));
    await store.links.deliver(await link(1), files);
    await store.links.markUndeliverable(await link(2), 'no such mailbox');
    const shown = (await ask(sender, 'GET', `/drops/${drop.id}`)).json();
    expect(shown.receivers).toMatchObject([
      { state: 'opened', opened_at: expect.any(String), completed_at: null, files_delivered: 1 },
      { state: 'completed', completed_at: expect.any(String), files_delivered: 2 },
      { state: 'undeliverable', undeliverable_reason: 'no such mailbox', files_delivered: 0 },
      { state: 'waiting', notified_at: null },
    ]);
    expect(shown.files).toMatchObject([{ receivers_delivered: 2 }, { receivers_delivered: 1 }]);
    await ask(sender, 'POST', `/drops/${drop.id}/revoke`, { body: {} });
    const ended = (await ask(sender, 'GET', `/drops/${drop.id}`)).json();
    expect(ended).toMatchObject({ state: 'revoked', files: [{ state: 'deleted' }, { state: 'deleted' }] });
  });

  test('is visible to its account alone, which alone can change it', async () => {
    const [sender, other] = [await exchange.account(), await exchange.account()];
    const { drop } = await send(sender);
    const before = await rowCounts();
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['POST', '/revoke', {}],
      ['POST', '/revoke', undefined],
      ['POST', '/receivers/0/revoke', undefined],
      ['POST', '/extend', { expires_in: 864_000 }],
      ['POST', '/remind', undefined],
      ['POST', '/receivers', { email: 'x@example.org' }],
      ['POST', '/receivers/0/resend', undefined],
    ] as const) {
      for (const id of [drop.id, randomUUID()]) {
        const refused = await ask(other, method, `/drops/${id}${path}`, body ? { body } : {});
        expect([path, refused.status]).toEqual([path, 404]);
      }
    }
    expect(await rowCounts()).toEqual(before);
    expect((await ask(sender, 'GET', `/drops/${drop.id}`)).json()).toMatchObject({ state: 'live', receiver_count: 1 });
  });
});

describe('a change of a drop', () => {
  test('revokes it: no link opens any more', async () => {
    const sender = await exchange.account();
    const { drop } = await send(sender, { notify: false });
    const revoked = await ask(sender, 'POST', `/drops/${drop.id}/revoke`, { body: {} });
    expect(revoked.json()).toMatchObject({ state: 'revoked', revoked_at: expect.any(String) });
    expect(await requestPage(drop.receivers[0].link)).toBe(410);
    const again = await ask(sender, 'POST', `/drops/${drop.id}/revoke`, { body: {} });
    expect([again.status, again.json().code]).toEqual([410, 'link_revoked']);
  });

  test('revokes the link of one receiver, and no mail goes to them', async () => {
    const sender = await exchange.account();
    const emails = [{ email: 'a@example.org' }, { email: 'b@example.org' }];
    const { drop, etag } = await send(sender, { receivers: emails });
    const [kept, revoked] = [
      await deriveToken(exchange, sender, drop.id, 0),
      await deriveToken(exchange, sender, drop.id, 1),
    ];
    const response = await ask(sender, 'POST', `/drops/${drop.id}/receivers/1/revoke`);
    expect(response.json()).toMatchObject({ state: 'live', receiver_count: 2 });
    expect(response.headers['etag']).not.toBe(etag);
    expect(await requestPage(`https://${testHost}/d/${kept}`)).toBe(200);
    expect(await requestPage(`https://${testHost}/d/${revoked}`)).toBe(410);
    expect((await ask(sender, 'GET', `/drops/${drop.id}`)).json().receivers).toMatchObject([
      { state: 'waiting', revoked_at: null },
      { state: 'revoked', revoked_at: expect.any(String) },
    ]);
    const messages = await exchange.database.query<{ id: string }>(
      'select id from messages where drop_id = $1 order by position',
      [drop.id],
    );
    const live = [];
    for (const { id } of messages)
      live.push((await exchange.engines.store.outbox.acquire(sender.accountId, id, 60))?.dropLive);
    expect(live).toEqual([true, false]);
    expect((await ask(sender, 'POST', `/drops/${drop.id}/receivers/1/revoke`)).status).toBe(404);
    expect((await ask(sender, 'POST', `/drops/${drop.id}/receivers/7/revoke`)).status).toBe(404);
    expect((await ask(sender, 'POST', `/drops/${drop.id}/receivers/1/resend`)).status).toBe(410);
    // Running downloads are stopped by this.
    const ofDrop = { accountId: sender.accountId, dropId: drop.id };
    const asked = [ofDrop, { ...ofDrop, position: 0 }, { ...ofDrop, position: 1 }];
    expect(await exchange.engines.store.links.endings(asked)).toEqual([
      { ...ofDrop, position: 1, ended: true, revoked: true, rules: null },
    ]);
    expect((await ask(sender, 'POST', `/drops/${drop.id}/remind`)).json()).toEqual({ reminded: 1 });
  });

  test('extends it, up to the longest lifetime', async () => {
    const sender = await exchange.account();
    const { drop } = await send(sender);
    const extended = await ask(sender, 'POST', `/drops/${drop.id}/extend`, { body: { expires_in: 20 * 86_400 } });
    expect(Date.parse(extended.json().expires_at)).toBeGreaterThan(Date.now() + 19.9 * 86_400_000);
    for (const body of [
      { expires_in: 86_400 },
      { expires_in: 90 * 86_400 },
      {},
      { expires_in: 1, expires_at: '2100-01-01T00:00:00Z' },
    ]) {
      expect((await ask(sender, 'POST', `/drops/${drop.id}/extend`, { body })).status).toBe(400);
    }
  });

  test('is refused if the drop has changed since it was read', async () => {
    const sender = await exchange.account();
    const { drop, etag } = await send(sender);
    const extend = (days: number, match: string) =>
      ask(sender, 'POST', `/drops/${drop.id}/extend`, {
        body: { expires_in: days * 86_400 },
        headers: { 'if-match': match },
      });
    const responses = await Promise.all([10, 11, 12, 13].map((days) => extend(days, etag)));
    expect(responses.filter(({ status }) => status === 412)).toHaveLength(3);
    const winner = responses.find(({ status }) => status === 200);
    const read = await ask(sender, 'GET', `/drops/${drop.id}`);
    expect([read.headers['etag'], read.json().expires_at]).toEqual([
      winner?.headers['etag'],
      winner?.json().expires_at,
    ]);
    for (const [path, body] of [
      ['revoke', {}],
      ['receivers/0/revoke', undefined],
      ['remind', undefined],
      ['receivers', { email: 'late@example.org' }],
    ] as const) {
      const refused = await ask(sender, 'POST', `/drops/${drop.id}/${path}`, {
        ...(body && { body }),
        headers: { 'if-match': etag },
      });
      expect([path, refused.status, refused.json().code]).toEqual([path, 412, 'precondition_failed']);
    }
    expect((await extend(14, `"other", ${String(read.headers['etag'])}`)).status).toBe(200);
    expect((await extend(15, '*')).status).toBe(200);
  });

  test('reminds receivers who can be reached and have not downloaded everything', async () => {
    const sender = await exchange.account();
    const { drop } = await send(sender, {
      receivers: ['a', 'b', 'c'].map((name) => ({ email: `${name}@example.org` })),
    });
    await exchange.database.query('update links set completed_at = now() where drop_id = $1 and position = 0', [
      drop.id,
    ]);
    await exchange.database.query('update links set undeliverable_at = now() where drop_id = $1 and position = 1', [
      drop.id,
    ]);
    expect((await ask(sender, 'POST', `/drops/${drop.id}/remind`)).json()).toEqual({ reminded: 1 });
    expect(
      await exchange.database.query("select receiver from messages where drop_id = $1 and kind = 'reminder'", [
        drop.id,
      ]),
    ).toEqual([{ receiver: 'c@example.org' }]);
  });

  test('counts its mails against the account’s limit', async () => {
    const sender = await exchange.account();
    const { drop } = await send(sender);
    await quotas(sender, { mailsPerDay: 2, dropsPerDay: 1 });
    expect((await ask(sender, 'POST', `/drops/${drop.id}/remind`)).status).toBe(200);
    for (const [path, body] of [
      ['remind', undefined],
      ['receivers/0/resend', undefined],
      ['receivers', { email: 'b@example.org' }],
    ] as const) {
      const refused = await ask(sender, 'POST', `/drops/${drop.id}/${path}`, body ? { body } : {});
      expect([path, refused.status]).toEqual([path, 429]);
    }
    expect((await ask(sender, 'GET', `/drops/${drop.id}`)).json()).toMatchObject({ receiver_count: 1 });
  });

  test('adds a receiver, with a link of their own', async () => {
    const [sender, receiver] = [await exchange.account(), await exchange.account()];
    const { drop } = await send(sender, { notify: false });
    const add = (body: object) => ask(sender, 'POST', `/drops/${drop.id}/receivers`, { body });
    const added = await add({ email: receiver.email });
    expect([added.status, added.json()]).toEqual([201, { id: 1, email: receiver.email, link: expect.any(String) }]);
    expect(await requestPage(added.json().link)).toBe(200);
    expect(await exchange.engines.store.drops.inboxPage(receiver.accountId, undefined, 5)).toHaveLength(1);
    expect((await add({ email: receiver.email.toUpperCase() })).json().errors).toMatchObject([{ pointer: '/email' }]);
    expect((await add({ email: 'nobody' })).json().errors).toMatchObject([{ pointer: '/email' }]);
    expect((await ask(sender, 'GET', `/drops/${drop.id}`)).json()).toMatchObject({ receiver_count: 2 });
    const told = await send(sender);
    const second = await ask(sender, 'POST', `/drops/${told.drop.id}/receivers`, { body: { email: 'b@example.org' } });
    expect(second.json()).toEqual({ id: 1, email: 'b@example.org' });
    expect(
      await exchange.database.query('select kind from messages where drop_id = $1 and position = 1', [told.drop.id]),
    ).toEqual([{ kind: 'invitation' }]);
    await ask(sender, 'POST', `/drops/${drop.id}/revoke`, { body: {} });
    expect((await add({ email: 'late@example.org' })).status).toBe(410);
  });

  test('adds receivers one at a time, up to the limit of a drop', async () => {
    const sender = await exchange.account();
    const { drop } = await send(sender);
    const added = await Promise.all(
      Array.from({ length: 5 }, (_, index) =>
        ask(sender, 'POST', `/drops/${drop.id}/receivers`, { body: { email: `r${index}@example.org` } }),
      ),
    );
    expect(new Set(added.map((response) => response.json().id))).toEqual(new Set([1, 2, 3, 4, 5]));
    await exchange.database.query('update drops set receiver_count = 1000 where id = $1', [drop.id]);
    const refused = await ask(sender, 'POST', `/drops/${drop.id}/receivers`, { body: { email: 'last@example.org' } });
    expect(refused.status).toBe(400);
  });

  test('sends an invitation again, also to someone who could not be reached', async () => {
    const sender = await exchange.account();
    const { drop } = await send(sender);
    await exchange.engines.store.links.markUndeliverable(
      { accountId: sender.accountId, dropId: drop.id, position: 0 },
      'full',
    );
    expect((await ask(sender, 'POST', `/drops/${drop.id}/receivers/0/resend`)).status).toBe(204);
    expect((await ask(sender, 'GET', `/drops/${drop.id}`)).json().receivers).toMatchObject([{ state: 'waiting' }]);
    expect(
      await exchange.database.query("select 1 from messages where drop_id = $1 and kind = 'invitation'", [drop.id]),
    ).toHaveLength(2);
    expect((await ask(sender, 'POST', `/drops/${drop.id}/receivers/5/resend`)).status).toBe(404);
  });
});
