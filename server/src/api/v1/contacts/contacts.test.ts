import { fc, test as property } from '@fast-check/vitest';
import { limits } from '@waybill/protocol';
import type { FastifyInstance } from 'fastify';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openTestExchange, type TestExchange } from '../../../../test/exchange.ts';
import { type AskV1, requestV1 } from '../../../../test/request-v1.ts';
import { buildTestServer } from '../../../../test/server.ts';
import type { Actor } from '../../../domain/actor.ts';
import type { ContactInput } from '../../../domain/contacts/contact-input.ts';
import { replaceContacts, replaceGlobalContacts } from '../../../domain/contacts/replace-contacts.ts';
import type { Route } from '../route.ts';

let exchange: TestExchange;
let app: FastifyInstance;
beforeAll(async () => {
  exchange = await openTestExchange();
  app = buildTestServer(exchange);
});
afterEach(() => setGlobal());
afterAll(async () => {
  await app.close();
  await exchange[Symbol.asyncDispose]();
});

type Owner = Actor & { apiKey: string };
const ask = (owner: Owner, method: Route['method'], path: string, more: AskV1 = {}) =>
  requestV1(app, method, path, { key: owner.apiKey, ...more });
const put = (owner: Owner, email: string, body: object = {}, headers: Record<string, string> = {}) =>
  ask(owner, 'PUT', `/contacts/${encodeURIComponent(email)}`, { body, headers });
const load = (owner: Owner, contacts: object[], query = '', headers: Record<string, string> = {}) =>
  ask(owner, 'POST', `/contacts/import${query}`, { body: { contacts }, headers });
const setGlobal = (...contacts: ContactInput[]) => replaceGlobalContacts(exchange.engines, contacts);
const replace = (owner: Actor, contacts: ContactInput[]) =>
  replaceContacts(exchange.engines, owner, { contacts, lenient: true });
const machineList = (owner: Actor) => exchange.engines.store.contacts.read(owner.accountId);
const readEventsFor = (owner: Actor) =>
  exchange.database.query('select type, data from events where account_id = $1 order by sequence', [owner.accountId]);
const listStatuses = (responses: readonly { status: number }[]) =>
  responses.map(({ status }) => status).toSorted((a, b) => a - b);
const anna = { name: 'Anna Berg', phone: '46701234567', language: 'sv', groups: ['press'] };

async function listed(owner: Owner, query = ''): Promise<string[]> {
  const response = await ask(owner, 'GET', `/contacts?limit=100${query}`);
  expect(response.status, response.text).toBe(200);
  return response.json().data.map(({ email, list }: { email: string; list: string }) => `${email} ${list}`);
}

describe('PUT /contacts/:email', () => {
  test('adds a contact, which both APIs show', async () => {
    const owner = await exchange.account('first@example.org');
    const response = await put(owner, 'Anna+Files@Example.org', anna);
    const expected = { email: 'anna+files@example.org', ...anna, list: 'local' };
    expect([response.status, response.json()]).toEqual([201, expected]);
    const read = await ask(owner, 'GET', '/contacts/ANNA%2Bfiles@example.org');
    expect([read.json(), read.headers['etag']]).toEqual([expected, response.headers['etag']]);
    expect((await machineList(owner)).local).toMatchObject([
      { email: 'first@example.org' },
      { email: expected.email, name: anna.name, phone: anna.phone, language: 'sv', groups: ['press'] },
    ]);
  });

  test('replaces a contact: fields that are left out become empty', async () => {
    const owner = await exchange.account('a@example.org', 'b@example.org');
    const before = await put(owner, 'a@example.org', anna);
    const after = await put(owner, 'a@example.org', { name: 'A' });
    expect([before.status, after.status]).toEqual([200, 200]);
    expect(after.json()).toEqual({
      email: 'a@example.org',
      name: 'A',
      phone: '',
      language: '',
      groups: [],
      list: 'local',
    });
    expect(after.headers['etag']).not.toBe(before.headers['etag']);
    expect((await machineList(owner)).local.map(({ email }) => email)).toEqual(['a@example.org', 'b@example.org']);
  });

  test('puts a name on one line, without what nobody sees', async () => {
    const owner = await exchange.account();
    const { json } = await put(owner, 'anna@example.org', { ...anna, name: ' Anna\r\n\u202eBerg\u2069 ' });
    expect(json()).toMatchObject({ name: 'Anna Berg' });
    const { json: imported } = await load(owner, [{ email: 'anna@example.org', name: 'Anna\tBerg' }]);
    expect(imported()).toMatchObject({ unchanged: 1 });
    const { json: grouped } = await put(owner, 'anna@example.org', {
      ...anna,
      groups: ['press\r\n', 'pre\u202ess', '\u200f'],
    });
    expect(grouped()).toMatchObject({ name: 'Anna Berg', groups: ['press'] });
    const receivers = [{ email: 'anna@example.org', name: 'gpj\u202e\nexe' }];
    const { json: sent } = await ask(owner, 'POST', '/drops', { body: { uploads: [], receivers, message: 'Hello' } });
    const { json: drop } = await ask(owner, 'GET', `/drops/${sent().id}`);
    expect(drop()).toMatchObject({ receivers: [{ name: 'gpj exe' }] });
  });

  test('changes nothing if the contact is the same', async () => {
    const owner = await exchange.account();
    const { headers } = await put(owner, 'anna@example.org', anna);
    const { version } = await machineList(owner);
    expect((await put(owner, 'anna@example.org', anna)).headers['etag']).toBe(headers['etag']);
    expect((await machineList(owner)).version).toBe(version);
    expect(await readEventsFor(owner)).toHaveLength(1);
  });

  test('lists every error', async () => {
    const owner = await exchange.account();
    const refused = await put(owner, 'nobody', { phone: '+46', language: '!' });
    expect([refused.status, refused.json().code]).toEqual([400, 'invalid_input']);
    const pointers = refused.json().errors.map(({ pointer }: { pointer: string }) => pointer);
    expect(pointers.toSorted()).toEqual(['/email', '/language', '/phone']);
    const texts = await put(owner, 'a@example.org', { name: 'a\0', groups: ['a', '\ud800'] });
    expect(texts.json().errors).toMatchObject([{ pointer: '/name' }, { pointer: '/groups/1' }]);
    for (const body of [{ nick: 'A' }, { email: 'a@example.org' }, { groups: [''] }, { name: 'x'.repeat(201) }]) {
      expect((await put(owner, 'a@example.org', body)).status).toBe(400);
    }
    expect(await listed(owner)).toEqual([]);
  });

  test('adds no more contacts than an account may have', async () => {
    const owner = await exchange.account();
    const full = Array.from({ length: limits.contactsPerAccount }, (_, index) => ({ email: `c${index}@example.org` }));
    await replace(owner, full);
    const refused = await put(owner, 'one-more@example.org');
    expect([refused.status, refused.json().detail]).toEqual([
      400,
      'An account has at most 10000 contacts. This one has 10000, and another one does not fit. Remove some first.',
    ]);
    expect((await load(owner, [{ email: 'a@example.org' }, { email: 'b@example.org' }])).status).toBe(400);
    expect((await put(owner, 'c0@example.org', anna)).status).toBe(200);
    expect((await load(owner, [{ email: 'c1@example.org', name: 'C' }])).json()).toMatchObject({ changed: 1 });
  });
});

describe('a condition', () => {
  test('lets through one of several writers that have read the same version', async () => {
    const owner = await exchange.account('a@example.org');
    const read = await ask(owner, 'GET', '/contacts/a@example.org');
    const match = { 'if-match': String(read.headers['etag']) };
    const responses = await Promise.all(
      ['1', '2', '3', '4'].map((name) => put(owner, 'a@example.org', { name }, match)),
    );
    expect(listStatuses(responses)).toEqual([200, 412, 412, 412]);
    const winner = responses.find(({ status }) => status === 200);
    expect((await ask(owner, 'GET', '/contacts/a@example.org')).json()).toEqual(winner?.json());
    const late = await ask(owner, 'DELETE', '/contacts/a@example.org', { headers: match });
    expect([late.status, late.json().code]).toEqual([412, 'precondition_failed']);
  });

  test('fails after a change by the machine API, but not after one that changes nothing', async () => {
    const owner = await exchange.account();
    const { headers } = await put(owner, 'a@example.org', { name: 'A' });
    const match = { 'if-match': String(headers['etag']) };
    await replace(owner, [{ email: 'new@example.org' }, { email: 'a@example.org', name: 'A' }]);
    expect((await put(owner, 'a@example.org', { name: 'B' }, match)).status).toBe(200);
    await replace(owner, [{ email: 'a@example.org', name: 'A2' }]);
    expect((await put(owner, 'a@example.org', { name: 'B' }, match)).status).toBe(412);
  });

  test('of the machine API fails after a change by /api/v1', async () => {
    const owner = await exchange.account('a@example.org');
    const { version } = await machineList(owner);
    for (const change of [
      () => put(owner, 'b@example.org'),
      () => load(owner, [{ email: 'c@example.org' }]),
      () => ask(owner, 'DELETE', '/contacts/a@example.org'),
    ]) {
      const before = await machineList(owner);
      await change();
      expect((await machineList(owner)).version).not.toBe(before.version);
    }
    const stale = replaceContacts(exchange.engines, owner, { contacts: [], lenient: true, ifVersion: [version] });
    await expect(stale).rejects.toMatchObject({ code: 'precondition_failed' });
  });

  test('can require that the contact exists, or that it does not', async () => {
    const owner = await exchange.account();
    const [absent, present] = [{ 'if-none-match': '*' }, { 'if-match': '*' }];
    expect((await put(owner, 'a@example.org', {}, present)).status).toBe(412);
    expect((await put(owner, 'a@example.org', {}, { 'if-match': '"x"' })).status).toBe(412);
    const responses = await Promise.all(['1', '2', '3'].map((name) => put(owner, 'a@example.org', { name }, absent)));
    expect(listStatuses(responses)).toEqual([201, 412, 412]);
    expect((await put(owner, 'a@example.org', {}, present)).status).toBe(200);
    expect((await put(owner, 'a@example.org', {}, { 'if-none-match': '"x"' })).status).toBe(400);
  });
});

describe('a global contact', () => {
  test('is listed with the account’s own, and is hidden by one with the same address', async () => {
    await setGlobal({ email: 'b@example.org', name: 'Desk' }, { email: 'd@example.org' });
    const owner = await exchange.account('a@example.org', 'c@example.org');
    expect(await listed(owner)).toEqual([
      'a@example.org local',
      'b@example.org global',
      'c@example.org local',
      'd@example.org global',
    ]);
    expect(await listed(owner, '&list=global')).toEqual(['b@example.org global', 'd@example.org global']);
    const read = await ask(owner, 'GET', '/contacts/b@example.org');
    expect(read.json()).toMatchObject({ name: 'Desk', list: 'global' });
    expect((await put(owner, 'b@example.org', {}, { 'if-none-match': '*' })).status).toBe(412);
    const own = await put(owner, 'b@example.org', { name: 'B' }, { 'if-match': String(read.headers['etag']) });
    expect([own.status, own.json()]).toMatchObject([200, { name: 'B', list: 'local' }]);
    expect(await listed(owner, '&list=global')).toEqual(['d@example.org global']);
    expect(await listed(owner, '&list=local')).toHaveLength(3);
  });

  test('cannot be removed, and is shown again when the account’s own is removed', async () => {
    await setGlobal({ email: 'b@example.org', name: 'Desk' });
    const owner = await exchange.account('b@example.org');
    const remove = () => ask(owner, 'DELETE', '/contacts/b@example.org');
    expect((await remove()).status).toBe(204);
    expect(await listed(owner)).toEqual(['b@example.org global']);
    expect((await remove()).status).toBe(404);
    expect(await exchange.engines.store.contacts.readGlobal()).toHaveLength(1);
  });

  test('does not prevent an import from adding the account’s own', async () => {
    await setGlobal({ email: 'b@example.org', name: 'Desk' });
    const owner = await exchange.account();
    expect((await load(owner, [{ email: 'b@example.org', name: 'Desk' }])).json()).toMatchObject({ created: 1 });
    expect(await listed(owner)).toEqual(['b@example.org local']);
  });
});

describe('GET /contacts', () => {
  test('finds contacts by a part of the address or of the name', async () => {
    await setGlobal({ email: 'desk@example.org', name: 'Berg & Co' });
    const owner = await exchange.account();
    await replace(owner, [
      { email: 'anna@example.org', name: 'Åsa Berg' },
      { email: 'bergman@example.org' },
      { email: 'x@example.org', name: 'Iceberg' },
    ]);
    expect(await listed(owner, '&search=BERG')).toEqual([
      'anna@example.org local',
      'bergman@example.org local',
      'desk@example.org global',
      'x@example.org local',
    ]);
    expect(await listed(owner, `&search=${encodeURIComponent('åsa b')}`)).toEqual(['anna@example.org local']);
    expect(await listed(owner, '&search=anna@example.org')).toEqual(['anna@example.org local']);
    for (const nothing of ['%25', '_', 'asa']) expect(await listed(owner, `&search=${nothing}`)).toEqual([]);
    expect((await ask(owner, 'GET', '/contacts?search=%00')).status).toBe(400);
  });

  test('returns page by page, and refuses the cursor of another filter', async () => {
    await setGlobal(...['b', 'd', 'f'].map((name) => ({ email: `${name}@example.org` })));
    const owner = await exchange.account('a@example.org', 'c@example.org', 'd@example.org', 'e@example.org');
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page = (await ask(owner, 'GET', `/contacts?limit=2${cursor && `&cursor=${cursor}`}`)).json();
      seen.push(...page.data.map(({ email }: { email: string }) => email[0]));
      cursor = page.next_cursor;
    }
    expect(seen.join('')).toBe('abcdef');
    const { next_cursor: other } = (await ask(owner, 'GET', '/contacts?limit=1&search=a@')).json();
    expect(other).toBeNull();
    const { next_cursor: local } = (await ask(owner, 'GET', '/contacts?limit=1&list=local')).json();
    expect((await ask(owner, 'GET', `/contacts?cursor=${local}`)).status).toBe(400);
    expect((await ask(owner, 'GET', `/contacts?list=local&cursor=${local}`)).status).toBe(200);
  });
});

test('contacts are visible only to their account', async () => {
  const [owner, other] = [await exchange.account('a@example.org'), await exchange.account()];
  expect(await listed(other)).toEqual([]);
  expect((await ask(other, 'GET', '/contacts/a@example.org')).status).toBe(404);
  expect((await ask(other, 'DELETE', '/contacts/a@example.org')).status).toBe(404);
  expect((await put(other, 'a@example.org', anna)).status).toBe(201);
  expect((await ask(owner, 'GET', '/contacts/a@example.org')).json()).toMatchObject({ name: '' });
});

describe('POST /contacts/import', () => {
  test('adds and changes contacts, keeps fields that it does not mention, and removes nothing', async () => {
    const owner = await exchange.account('kept@example.org');
    await put(owner, 'anna@example.org', anna);
    await put(owner, 'bo@example.org', { name: 'Bo' });
    const response = await load(owner, [
      { email: 'New@example.org', name: 'New' },
      { email: 'anna@example.org', name: 'Anna Ek', groups: [] },
      { email: 'bo@example.org' },
    ]);
    expect([response.status, response.json()]).toEqual([
      200,
      {
        created: 1,
        changed: 1,
        unchanged: 1,
        contacts: [
          { email: 'new@example.org', result: 'created' },
          { email: 'anna@example.org', result: 'changed' },
          { email: 'bo@example.org', result: 'unchanged' },
        ],
      },
    ]);
    expect((await machineList(owner)).local).toMatchObject([
      { email: 'kept@example.org' },
      { email: 'anna@example.org', name: 'Anna Ek', phone: anna.phone, language: 'sv', groups: [] },
      { email: 'bo@example.org', name: 'Bo' },
      { email: 'new@example.org', name: 'New' },
    ]);
  });

  test.each(['', '/check'])('lists every error and changes nothing%s', async (query) => {
    const owner = await exchange.account();
    const refused = await load(
      owner,
      [
        { email: 'a@example.org', phone: '070 123' },
        { email: 'b@example.org' },
        { email: 'A@example.org' },
        { email: 'nobody', language: 'svenska språket' },
      ],
      query,
    );
    expect(refused.status).toBe(400);
    expect(refused.json().errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
      '/contacts/0/phone',
      '/contacts/2/email',
      '/contacts/3/language',
      '/contacts/3/email',
    ]);
    expect(await listed(owner)).toEqual([]);
  });

  test('accepts up to 1,000 contacts', async () => {
    const owner = await exchange.account();
    const many = Array.from({ length: 1001 }, (_, index) => ({ email: `c${index}@example.org` }));
    expect((await load(owner, many)).status).toBe(400);
    expect((await load(owner, many.slice(1))).json()).toMatchObject({ created: 1000 });
    expect((await load(owner, [])).status).toBe(400);
  });

  test('runs once for an Idempotency-Key', async () => {
    const owner = await exchange.account();
    const key = { 'idempotency-key': 'import-1' };
    const first = await load(owner, [{ email: 'a@example.org' }], '', key);
    await ask(owner, 'DELETE', '/contacts/a@example.org');
    expect((await load(owner, [{ email: 'a@example.org' }], '', key)).text).toBe(first.text);
    expect(await listed(owner)).toEqual([]);
    expect((await load(owner, [{ email: 'b@example.org' }], '', key)).status).toBe(422);
  });

  const address = fc.constantFrom('a@example.org', 'B@example.org', 'b@example.org', 'c@example.org', 'd@example.org');
  const input = fc.record(
    {
      email: fc.oneof({ weight: 30, arbitrary: address }, fc.constant('nobody')),
      name: fc.constantFrom('', 'A', 'B'),
      phone: fc.oneof({ weight: 30, arbitrary: fc.constantFrom('', '46701234567') }, fc.constant('1')),
      language: fc.constantFrom('', 'sv'),
      groups: fc.subarray(['x', 'y']),
    },
    { requiredKeys: ['email'] },
  );
  property.prop([fc.array(input, { maxLength: 4 }), fc.array(input, { minLength: 1, maxLength: 4 })], { numRuns: 25 })(
    'does what its check says',
    async (first, second) => {
      const owner = await exchange.account();
      if (first.length > 0) await load(owner, first);
      const before = await machineList(owner);
      const promised = await load(owner, second, '/check');
      expect(await machineList(owner)).toEqual(before);
      const done = await load(owner, second);
      const { instance: _, ...promise } = promised.json();
      expect([done.status, done.json()]).toMatchObject([promised.status, promise]);

      const [was, is] = [before, await machineList(owner)].map(
        ({ local }) => new Map(local.map((contact) => [contact.email, contact])),
      ) as [Map<string, unknown>, Map<string, unknown>];
      for (const { email, result } of promise.contacts ?? []) {
        const isSame = JSON.stringify(was.get(email)) === JSON.stringify(is.get(email));
        expect([email, result]).toEqual([email, !was.has(email) ? 'created' : isSame ? 'unchanged' : 'changed']);
        was.delete(email);
        is.delete(email);
      }
      expect(is).toEqual(was);
    },
  );
});

describe('an event', () => {
  test('reports every change, with the address if only one contact changed', async () => {
    const owner = await exchange.account();
    await put(owner, 'a@example.org');
    await load(owner, [{ email: 'a@example.org' }, { email: 'b@example.org' }]);
    await load(owner, [{ email: 'c@example.org' }, { email: 'd@example.org' }]);
    await load(owner, [{ email: 'd@example.org' }]);
    await ask(owner, 'DELETE', '/contacts/a@example.org');
    expect(await readEventsFor(owner)).toEqual([
      { type: 'contact.changed', data: { contacts: 1, email: 'a@example.org' } },
      { type: 'contact.changed', data: { contacts: 2, email: 'b@example.org' } },
      { type: 'contact.changed', data: { contacts: 4 } },
      { type: 'contact.deleted', data: { contacts: 3, email: 'a@example.org' } },
    ]);
    const shown = async () => (await ask(owner, 'GET', '/events')).json().data;
    await expect.poll(shown, { timeout: 20_000 }).toHaveLength(4);
  });

  test('reports changes by the machine API', async () => {
    const owner = await exchange.account('a@example.org', 'b@example.org');
    await replace(owner, [{ email: 'a@example.org' }, { email: 'b@example.org' }]);
    await replace(owner, [{ email: 'b@example.org', name: 'B' }]);
    await replace(owner, []);
    expect(await readEventsFor(owner)).toEqual([
      { type: 'contact.changed', data: { contacts: 2 } },
      { type: 'contact.changed', data: { contacts: 1, email: 'b@example.org' } },
      { type: 'contact.deleted', data: { contacts: 1, email: 'a@example.org' } },
      { type: 'contact.deleted', data: { contacts: 0, email: 'b@example.org' } },
    ]);
  });
});
