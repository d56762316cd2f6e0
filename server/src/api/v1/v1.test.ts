import { randomUUID } from 'node:crypto';
import { errorCodes } from '@waybill/protocol';
import { type Scope, scopes } from '@waybill/protocol/v1';
import type { FastifyInstance } from 'fastify';
import { describe, expect, test, vi } from 'vitest';
import { measureLongestTurn } from '../../../test/longest-turn.ts';
import { MemoryLimits } from '../../../test/memory/memory-limits.ts';
import { memoryScanner } from '../../../test/memory/memory-scanner.ts';
import { type AskV1, requestV1, v1Described } from '../../../test/request-v1.ts';
import { buildTestServer, testHost } from '../../../test/server.ts';
import { useTestServer } from '../../../test/use-test-server.ts';
import type { KeyRights } from '../../domain/accounts/account-store.ts';
import { authenticateBearer } from '../../domain/accounts/authenticate.ts';
import { setAccountDisabled } from '../../domain/accounts/change-account.ts';
import { createRestrictedKey, revokeKey } from '../../domain/accounts/change-keys.ts';
import { createMetrics } from '../../observe/metrics.ts';
import { noTracing } from '../../observe/tracing.ts';
import type { Route } from './route.ts';
import { keyRoutes, routes } from './routes.ts';

const { exchange, app } = await useTestServer();

const ask = (
  method: Route['method'],
  path: string,
  { server = app, ...options }: AskV1 & { server?: FastifyInstance } = {},
) => requestV1(server, method, path, options);

const createKeyFor = async (owner: { apiKey: string }, rights: Partial<KeyRights> & { scopes?: Scope[] }) =>
  createRestrictedKey(exchange.engines, await authenticateBearer(exchange.engines, owner.apiKey, '192.0.2.7'), {
    name: 'test',
    networks: null,
    expiresAt: null,
    ...rights,
    scopes: rights.scopes ?? [...scopes],
  });

const fill = <Item>(length: number, make: (index: number) => Item) => Array.from({ length }, (_, index) => make(index));

describe('every operation of a key', () => {
  test.each(keyRoutes.map((route) => [`${route.method} ${route.path}`, route] as const))(
    '%s requires a live key with its scope, from one of its networks',
    async (_name, route) => {
      const owner = await exchange.account();
      // A stream would go on; with a cursor that it refuses, it ends at once.
      const query = route.path === '/events/stream' ? '?cursor=*' : '';
      const path = `${route.path.replace(/:\w+/g, randomUUID())}${query}`;
      const status = async (key: string | undefined) =>
        (await ask(route.method, path, { key, ...(route.body ? { body: {} } : {}) })).status;

      expect(await status(undefined)).toBe(401);
      expect(await status('wb_wrong')).toBe(401);
      expect(await status(owner.apiKey.replace(/.$/, '!'))).toBe(401);

      const expired = await createKeyFor(owner, { expiresAt: new Date(Date.now() + 3_600_000) });
      expect(await status(expired.apiKey)).not.toBe(401);
      await exchange.database.query('update api_keys set expires_at = now() where id = $1', [expired.key.id]);
      expect(await status(expired.apiKey)).toBe(401);

      const revoked = await createKeyFor(owner, {});
      await revokeKey(
        exchange.engines,
        { id: owner.accountId, email: owner.email },
        { keyId: revoked.key.id },
        exchange.engines.administrator,
      );
      expect(await status(revoked.apiKey)).toBe(401);

      const others = scopes.filter((scope) => scope !== route.scope && scope !== route.ownScope);
      const narrow = await createKeyFor(owner, { scopes: others });
      if (route.scope !== null) expect(await status(narrow.apiKey)).toBe(403);

      const elsewhere = await createKeyFor(owner, { networks: ['198.51.100.0/24'] });
      expect(await status(elsewhere.apiKey)).toBe(403);

      const right = await createKeyFor(owner, route.scope === null ? {} : { scopes: [route.scope] });
      for (const key of [right.apiKey, owner.apiKey]) expect([401, 403]).not.toContain(await status(key));

      const account = await exchange.engines.store.accounts.byId(owner.accountId);
      if (!account) throw new Error('the account is gone');
      await setAccountDisabled(exchange.engines, account, true);
      expect(await status(right.apiKey)).toBe(401);
    },
  );

  test('has a name of its own, and declares its parameters', () => {
    expect(new Set(routes.map(({ id }) => id)).size).toBe(routes.length);
    for (const { path, params } of routes) {
      const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name);
      const { properties = {} }: { properties?: object } = params ?? {};
      expect(Object.keys(properties)).toEqual(names);
    }
  });
});

describe('a refusal', () => {
  test('is a problem with a link to its description and an id to quote', async () => {
    const reply = await ask('GET', '/account');
    expect(reply.headers['content-type']).toBe('application/problem+json; charset=utf-8');
    expect(reply.headers['www-authenticate']).toBe('Bearer realm="Waybill"');
    expect(reply.json()).toEqual({
      type: `https://${testHost}/docs/problems#unauthorized`,
      title: 'Unauthorized',
      status: 401,
      detail: 'Send a valid API key of the account as `Authorization: Bearer <key>`.',
      code: 'unauthorized',
      instance: `urn:waybill:http-request:${String(reply.headers['x-request-id'])}`,
    });
  });

  test('increases a counter that started at zero, so that an alert notices the first one', async () => {
    const metrics = createMetrics({ role: 'serve', version: '0' });
    const server = buildTestServer(exchange, {}, { observation: { metrics, tracing: noTracing } });
    const readCounts = async (): Promise<string[]> =>
      (await metrics.registry.metrics()).match(/^waybill_http_refusals_total.*/gm) ?? [];
    const before = await readCounts();
    await ask('GET', '/account', { server });
    await vi.waitFor(async () => {
      const changed = (await readCounts()).filter((line) => !before.includes(line));
      expect(changed).toEqual(['waybill_http_refusals_total{surface="v1",code="unauthorized"} 1']);
    });
    for (const code of errorCodes)
      expect(before).toContain(`waybill_http_refusals_total{surface="v1",code="${code}"} 0`);
    await server.close();
  });

  test('names the part of the request that is wrong', async () => {
    const { apiKey } = await exchange.account();
    for (const [body, pointer] of [
      [{ scopes: ['send'] }, '/name'],
      [{ name: 'x', scopes: ['send', 'all'] }, '/scopes/1'],
      [{ name: 'x', scopes: ['send'], 'a/b': 1 }, '/a~1b'],
      [{ name: 'x', scopes: ['send'], expires_at: 'tomorrow' }, '/expires_at'],
    ] as const) {
      const { status, json } = await ask('POST', '/keys', { key: apiKey, body });
      expect([status, json().errors[0].pointer]).toEqual([400, pointer]);
    }
  });

  test('names everything that is wrong at once, in the body or in the query', async () => {
    const { apiKey: key } = await exchange.account();
    const faults = async (method: Route['method'], path: string, body?: object) => {
      const { status, json } = await ask(method, path, { key, ...(body && { body }) });
      const { errors, detail } = json();
      const places = errors.map((fault: Record<string, string>) => [
        fault['parameter'] ?? fault['pointer'],
        fault['code'],
      ]);
      return [status, places.toSorted(), detail];
    };
    expect(await faults('GET', '/events?type=drop.complete&type=drop.sent')).toEqual([
      400,
      [
        ['type', 'not_allowed'],
        ['type', 'not_allowed'],
      ],
      expect.any(String),
    ]);
    const body = {
      receivers: [{ phone: 7 }, 'bo'],
      expires_in: 0,
      notify: 'no',
      surprise: 1,
      metadata: { a: 'x'.repeat(5_000) },
    };
    expect(await faults('POST', '/drops', body)).toEqual([
      400,
      [
        ['/expires_in', 'out_of_range'],
        ['/metadata/a', 'too_long'],
        ['/notify', 'wrong_type'],
        ['/receivers/0/email', 'required'],
        ['/receivers/0/phone', 'wrong_type'],
        ['/receivers/1', 'wrong_type'],
        ['/surprise', 'unknown'],
        ['/uploads', 'required'],
      ],
      expect.stringMatching(/^8 parts of the request are wrong; nothing was changed\. The first: /),
    ]);
    const webhook = { url: 'https://example.org/', types: ['drop.lost', 'drop.created', 'drop.created'] };
    expect((await faults('POST', '/webhooks', webhook)).slice(0, 2)).toEqual([
      400,
      [
        ['/types', 'repeated'],
        ['/types/0', 'not_allowed'],
      ],
    ]);
    expect((await faults('GET', '/drops?limit=0&state=lost&colour=red')).slice(0, 2)).toEqual([
      400,
      [
        ['colour', 'unknown'],
        ['limit', 'out_of_range'],
        ['state', 'not_allowed'],
      ],
    ]);
    expect((await faults('GET', '/drops/7')).slice(0, 2)).toEqual([400, [['id', 'wrong_format']]]);
  });

  test('is the response to what an operation does not know, so that it does nothing else than was asked for', async () => {
    const { apiKey: key } = await exchange.account();
    const body = { receivers: [{ email: 'a@example.org' }], message: 'Hi', uploads: [] };
    const dry = await ask('POST', '/drops?dry_run=true', { key, body });
    expect([dry.status, dry.json().errors]).toMatchObject([400, [{ parameter: 'dry_run', code: 'unknown' }]]);
    const { id } = (await ask('POST', '/drops', { key, body })).json();
    const revoked = await ask('POST', `/drops/${id}/revoke`, { key, body: { receiver: 0 } });
    expect([revoked.status, revoked.json().errors]).toMatchObject([400, [{ pointer: '/receiver', code: 'unknown' }]]);
    expect((await ask('GET', `/drops/${id}`, { key })).json()).toMatchObject({ state: 'live' });
    expect((await ask('POST', `/drops/${id}/revoke`, { key, body: {} })).status).toBe(200);
  });

  test.each([
    ['a list that is too long', '/contacts/import', () => ({ contacts: fill(12_000, () => ({})) }), 1],
    ['as many faults as are looked for', '/contacts/import', () => ({ contacts: fill(4_900, () => 7) }), 100],
    ['many different texts where few are allowed', '/webhooks', () => ({ url: 'x', types: fill(4_900, String) }), 100],
    ['more texts than are looked at', '/keys', () => ({ name: 'x', scopes: fill(100_000, String) }), 1],
  ] as const)('of %s does not hold the event loop', async (_what, path, makeBody, count) => {
    const { apiKey: key } = await exchange.account();
    const body = makeBody();
    // The validator is compiled when it is first used.
    await ask('POST', path, { key, body });
    let faults: unknown[] = [];
    const longest = await measureLongestTurn(async () => {
      const refused = await ask('POST', path, { key, body });
      faults = refused.json().errors;
    });
    expect(faults).toHaveLength(count);
    expect(longest).toBeLessThan(500);
  });

  test('is also a problem where there is no operation', async () => {
    for (const [method, url, status] of [
      ['GET', '/api/v1/nothing', 404],
      ['POST', '/api/v1/account', 405],
    ] as const) {
      const reply = await app.inject({ method, url, headers: { host: testHost } });
      expect(reply.statusCode).toBe(status);
      expect(reply.headers['content-type']).toBe('application/problem+json; charset=utf-8');
    }
  });

  test('becomes 429 after too many failed attempts, and says how many are left', async () => {
    const failureLimit = new MemoryLimits().failureLimit({ failures: 1, seconds: 60 });
    const server = buildTestServer(exchange, { failureLimit });
    const first = await ask('GET', '/account', { key: 'wb_wrong', server });
    expect([first.status, first.headers['ratelimit-policy'], first.headers['ratelimit']]).toEqual([
      401,
      '"failures";q=1;w=60',
      '"failures";r=0;t=60',
    ]);
    const second = await ask('GET', '/account', { key: 'wb_wrong', server });
    expect([second.status, second.headers['retry-after'], second.headers['ratelimit']]).toEqual([
      429,
      '60',
      '"failures";r=0;t=60',
    ]);
    await server.close();
  });
});

describe('the reference', () => {
  const read = (url: string) => app.inject({ url, headers: { host: testHost } });

  test('costs less CPU time than a page for one reader, because anyone can request it', async () => {
    const spend = async (url: string) => {
      const headers = { host: testHost, 'accept-encoding': 'br' };
      expect((await app.inject({ url, headers })).statusCode).toBe(200);
      const before = process.cpuUsage();
      for (let time = 0; time < 20; time += 1) await app.inject({ url, headers });
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    const page = await spend('/');
    for (const url of ['/docs', '/docs/problems', '/docs/drops/create-drop'])
      expect(await spend(url)).toBeLessThan(page);
  });

  test('is also an OpenAPI document', async () => {
    expect((await read('/api/v1/openapi.json')).json()).toEqual(v1Described);
  });
});

describe('the account', () => {
  test('is shown with what the key may do', async () => {
    const owner = await exchange.account();
    const expiresAt = new Date('2100-01-01T00:00:00.000Z');
    const { key, apiKey } = await createKeyFor(owner, { scopes: ['send'], networks: ['192.0.2.0/24'], expiresAt });
    const { limits, usage, ...reply } = (await ask('GET', '/account', { key: apiKey })).json();
    expect(reply).toEqual({
      email: owner.email,
      mode: 'live',
      display_name: '',
      phone: '46701234567',
      language: '',
      key: { id: key.id, scopes: ['send'], networks: ['192.0.2.0/24'], expires_at: expiresAt.toISOString() },
    });
    expect(limits).toMatchObject({ files_per_drop: 1_000, receivers_per_drop: 1_000, stored_size: null });
    expect(usage).toMatchObject({ available_size: null, drops_today: 0, mails_today: 0 });
    expect((await ask('GET', '/account', { key: owner.apiKey })).json()).toMatchObject({
      key: { scopes: null, networks: null, expires_at: null },
    });
  });

  test('is shown with its limits and its usage', async () => {
    const owner = await exchange.account();
    const { quotas } = exchange.engines.store;
    const { unitSeconds } = exchange.engines.policy.lifetime;
    await quotas.setForAccount(owner.accountId, {
      maxFileBytes: 1_000,
      maxStoredBytes: 10_000,
      dropsPerDay: 5,
      mailsPerDay: 20,
      lifetimes: [1, 3],
      receiverDomains: ['example.com'],
    });
    const upload = await ask('POST', '/uploads', {
      key: owner.apiKey,
      headers: { 'content-type': 'text/plain', 'content-disposition': 'attachment; filename="a.txt"' },
      body: Buffer.alloc(900, 'x'),
    });
    expect(upload.status).toBe(201);
    const body = { uploads: [upload.json().id], receivers: [{ email: 'anna@example.com' }] };
    expect((await ask('POST', '/drops', { key: owner.apiKey, body })).status).toBe(201);
    expect((await ask('GET', '/account', { key: owner.apiKey })).json()).toMatchObject({
      limits: {
        file_size: 1_000,
        file_size_reason: 'file',
        min_expires_in: unitSeconds,
        max_expires_in: 3 * unitSeconds,
        default_expires_in: 3 * unitSeconds,
        allowed_expires_in: [unitSeconds, 3 * unitSeconds],
        stored_size: 10_000,
        drops_per_day: 5,
        mails_per_day: 20,
        receiver_domains: ['example.com'],
      },
      usage: { stored_size: 900, available_size: 9_100, drops_today: 1, mails_today: 1 },
    });
  });
});

test('a body of another type is refused with the type that is taken', async () => {
  const { apiKey } = await exchange.account();
  const headers = { host: testHost, authorization: `Bearer ${apiKey}`, 'content-type': 'text/plain' };
  const refused = await app.inject({ method: 'POST', url: '/api/v1/drops', headers, payload: 'x' });
  const detail = expect.stringContaining('`Content-Type: application/json`');
  expect([refused.statusCode, refused.json()]).toMatchObject([415, { code: 'unsupported_media_type', detail }]);
});

describe('the size of the largest file', () => {
  const refusals = {
    file: (max: number) => ({ code: 'too_large', max_size: max, detail: expect.stringContaining(`${max} bytes`) }),
    scan: (max: number) => ({ code: 'too_large_to_scan', max_size: max }),
    storage: (_max: number) => ({ code: 'storage_full' }),
  };
  const name = { 'upload-metadata': `filename ${Buffer.from('a.bin').toString('base64')}` };

  test.each([
    ['the scanner’s limit, if a scan is required', {}, 'required', { file_size: 5_000, file_size_reason: 'scan' }],
    [
      'the account’s, if larger files are not scanned',
      {},
      'best-effort',
      { file_size: 9_000, file_size_reason: 'file' },
    ],
    [
      'the account’s, if it is smaller',
      { maxFileBytes: 4_000 },
      'required',
      { file_size: 4_000, file_size_reason: 'file' },
    ],
    ['the storage’s', { maxStoredBytes: 3_000 }, 'required', { file_size: 3_000, file_size_reason: 'storage' }],
  ] as const)('is %s', async (_what, quotas, scan, expected) => {
    const owner = await exchange.account();
    await exchange.engines.store.quotas.setForAccount(owner.accountId, { maxFileBytes: 9_000, ...quotas });
    const limited = buildTestServer(exchange, {
      policy: { ...exchange.engines.policy, scan },
      scanner: memoryScanner({ maxBytes: 5_000 }),
    });
    const response = await ask('GET', '/account', { key: owner.apiKey, server: limited });
    expect(response.json()).toMatchObject({ limits: expected });
    const size = (bytes: number) => ({ 'tus-resumable': '1.0.0', 'upload-length': String(bytes) });
    const announce = (bytes: number) =>
      ask('POST', '/uploads', { key: owner.apiKey, server: limited, headers: { ...size(bytes), ...name } });
    const refusal = (await announce(expected.file_size + 1)).json();
    expect(refusal).toMatchObject(refusals[expected.file_size_reason](expected.file_size));
    expect((await announce(expected.file_size)).status).toBe(201);
  });
});

describe('keys', () => {
  const input = { name: 'nightly', scopes: ['send'] };

  test('are created, listed without the key itself, used and revoked', async () => {
    const owner = await exchange.account();
    const created = await ask('POST', '/keys', { key: owner.apiKey, body: input });
    expect(created.status).toBe(201);
    const { id, api_key: apiKey, ...shown } = created.json();
    expect(shown).toMatchObject({ ...input, networks: null, expires_at: null, last_used_at: null, revoked_at: null });
    expect((await ask('GET', '/account', { key: apiKey })).status).toBe(200);
    const list = await ask('GET', '/keys', { key: owner.apiKey });
    expect(list.text).not.toContain(apiKey);
    const listed = list.json().data.find((key: { id: string }) => key.id === id);
    expect(listed).toMatchObject(input);
    expect(Date.parse(listed.last_used_at)).toBeGreaterThanOrEqual(Date.parse(listed.created_at));
    expect((await ask('DELETE', `/keys/${id}`, { key: owner.apiKey })).json()).toEqual({
      ids: [id],
      webhooks_disabled: 0,
      webhooks_live: 0,
    });
    expect((await ask('GET', '/account', { key: apiKey })).status).toBe(401);
    expect((await ask('DELETE', `/keys/${id}`, { key: owner.apiKey })).status).toBe(404);
  });

  test('are visible only to their account', async () => {
    const [owner, other] = [await exchange.account(), await exchange.account()];
    const { key } = await createKeyFor(owner, {});
    expect((await ask('DELETE', `/keys/${key.id}`, { key: other.apiKey })).status).toBe(404);
    expect((await ask('GET', '/keys', { key: other.apiKey })).text).not.toContain(key.id);
  });

  test('create no key that may do more than themselves', async () => {
    const owner = await exchange.account();
    const expiresAt = new Date('2100-01-01T00:00:00Z');
    const { apiKey } = await createKeyFor(owner, { scopes: ['keys', 'send'], networks: ['192.0.2.0/24'], expiresAt });
    const create = async (body: object) => (await ask('POST', '/keys', { key: apiKey, body })).status;
    expect(await create({ name: 'x', scopes: ['receive'] })).toBe(403);
    expect(await create({ name: 'x', scopes: ['send'], networks: ['192.0.0.0/16'] })).toBe(403);
    expect(await create({ name: 'x', scopes: ['send'], expires_at: '2100-01-01T00:00:01Z' })).toBe(400);
    expect(await create({ name: 'x', scopes: ['send'], networks: ['nowhere'] })).toBe(400);
    expect(await create({ name: 'x', scopes: ['send'], expires_at: '2000-01-01T00:00:00Z' })).toBe(400);
    const made = await ask('POST', '/keys', { key: apiKey, body: { name: 'x', scopes: ['send'] } });
    expect(made.json()).toMatchObject({ networks: ['192.0.2.0/24'], expires_at: expiresAt.toISOString() });
  });

  test('revoke no key that may do more than themselves', async () => {
    const owner = await exchange.account();
    const rights = { networks: ['192.0.2.0/24'], expiresAt: new Date('2100-01-01T00:00:00Z') };
    const own = await createKeyFor(owner, { ...rights, scopes: ['keys', 'send'] });
    const full = (await ask('GET', '/account', { key: owner.apiKey })).json().key.id as string;
    const wider = [
      (await createKeyFor(owner, { ...rights, scopes: ['receive'] })).key.id,
      (await createKeyFor(owner, { ...rights, scopes: ['send'], networks: null })).key.id,
      (await createKeyFor(owner, { ...rights, scopes: ['send'], expiresAt: null })).key.id,
    ];
    const revoke = async (id: string) => (await ask('DELETE', `/keys/${id}`, { key: own.apiKey })).status;
    for (const id of [full, ...wider]) expect(await revoke(id)).toBe(403);
    expect((await ask('GET', '/account', { key: owner.apiKey })).status).toBe(200);
    expect(await revoke((await createKeyFor(owner, { ...rights, scopes: ['send'] })).key.id)).toBe(200);
    expect(await revoke(own.key.id)).toBe(200);
  });

  test('leave the keys that they created, unless these are to be revoked too', async () => {
    const owner = await exchange.account();
    const make = async (key: string) =>
      (await ask('POST', '/keys', { key, body: { name: 'x', scopes: ['keys'] } })).json();
    const status = async (key: string) => (await ask('GET', '/account', { key })).status;
    const [parent, other] = [await make(owner.apiKey), await make(owner.apiKey)];
    const child = await make(parent.api_key);
    const grandchild = await make(child.api_key);
    expect([child.created_by, grandchild.created_by]).toEqual([parent.id, child.id]);
    expect((await ask('DELETE', `/keys/${child.id}`, { key: owner.apiKey })).status).toBe(200);
    expect(await status(grandchild.api_key)).toBe(200);
    const all = await ask('DELETE', `/keys/${parent.id}?descendants=true`, { key: owner.apiKey });
    expect(new Set(all.json().ids)).toEqual(new Set([parent.id, grandchild.id]));
    expect([await status(grandchild.api_key), await status(other.api_key)]).toEqual([401, 200]);
  });

  test('open the machine API only if they are not restricted', async () => {
    const owner = await exchange.account();
    const { apiKey } = await createKeyFor(owner, {});
    const read = (key: string) =>
      app.inject({
        url: `/${owner.email}/`,
        headers: { host: testHost, authorization: `Basic ${btoa(`${owner.email}:${key}`)}` },
      });
    const refused = await read(apiKey);
    expect(refused.statusCode).toBe(401);
    expect(refused.json()).toMatchObject({ code: 'unauthorized', message: expect.stringContaining('only on /api/v1') });
    expect((await read(owner.apiKey)).statusCode).toBe(200);
  });

  test('are limited in number, even if many are requested at once', async () => {
    const owner = await exchange.account();
    const made = await Promise.all(
      Array.from({ length: 52 }, () => ask('POST', '/keys', { key: owner.apiKey, body: input })),
    );
    expect(made.filter(({ status }) => status === 201)).toHaveLength(50);
    expect(made.filter(({ status }) => status === 409)).toHaveLength(2);
  });
});

describe('a request with an Idempotency-Key', () => {
  const body = { name: 'once', scopes: ['send'] };
  const create = (key: string, idempotencyKey: string, changes: AskV1 & { server?: FastifyInstance } = {}) =>
    ask('POST', '/keys', { key, body, headers: { 'idempotency-key': idempotencyKey }, ...changes });

  test('returns the first response, whether the key is quoted or not', async () => {
    const { apiKey } = await exchange.account();
    const first = await create(apiKey, '"a key"');
    const second = await create(apiKey, 'a key');
    expect([second.status, second.text]).toEqual([201, first.text]);
    expect((await ask('GET', '/keys', { key: apiKey })).json().data).toHaveLength(2);
  });

  test('has one effect and one response through two processes at once', async () => {
    const { apiKey } = await exchange.account();
    const other = buildTestServer(exchange);
    const responses = await Promise.all(
      Array.from({ length: 50 }, (_, index) => create(apiKey, 'fifty', { server: index % 2 ? app : other })),
    );
    await other.close();
    const made = responses.filter(({ status }) => status === 201);
    expect(new Set(made.map(({ text }) => text)).size).toBe(1);
    expect(responses.filter(({ status }) => status !== 201).map(({ status }) => status)).toEqual(
      Array.from({ length: 50 - made.length }, () => 409),
    );
    expect((await create(apiKey, 'fifty')).text).toBe(made[0]?.text);
    expect((await ask('GET', '/keys', { key: apiKey })).json().data).toHaveLength(2);
  });

  test('is refused if its content differs', async () => {
    const { apiKey } = await exchange.account();
    await create(apiKey, 'same');
    const reply = await create(apiKey, 'same', { body: { ...body, name: 'other' } });
    expect([reply.status, reply.json().code]).toEqual([422, 'idempotency_key_reused']);
  });

  test('may be repeated if it failed', async () => {
    const { apiKey } = await exchange.account();
    expect((await create(apiKey, 'again', { body: { ...body, networks: ['nowhere'] } })).status).toBe(400);
    expect((await create(apiKey, 'again')).status).toBe(201);
  });

  test('belongs to its account', async () => {
    const [one, other] = [await exchange.account(), await exchange.account()];
    const responses = [await create(one.apiKey, 'mine'), await create(other.apiKey, 'mine')];
    expect(new Set(responses.map(({ text }) => text)).size).toBe(2);
  });

  test('belongs to its API key: one with fewer scopes does not get the response of one with more', async () => {
    const owner = await exchange.account();
    const narrow = await createKeyFor(owner, { scopes: ['keys'] });
    const first = await create(owner.apiKey, 'wide');
    const second = await create(narrow.apiKey, 'wide');
    expect([second.status, second.json().code]).toEqual([422, 'idempotency_key_reused']);
    expect(second.text).not.toContain(first.json().api_key);
    expect((await create(owner.apiKey, 'wide')).text).toBe(first.text);
  });

  test('stores the response encrypted', async () => {
    const { apiKey } = await exchange.account();
    const { api_key: created } = (await create(apiKey, 'secret')).json();
    const rows = await exchange.database.query<{ response: Buffer }>('select response from responses');
    expect(rows.length).toBeGreaterThan(0);
    for (const { response } of rows) expect(response.toString('latin1')).not.toContain(created.slice(3, 20));
  });

  test('is remembered for seven days', async () => {
    const { apiKey } = await exchange.account();
    const first = await create(apiKey, 'week');
    const { responses } = exchange.engines.store;
    await exchange.database.query("update responses set created_at = now() - interval '6 days 23 hours'");
    await responses.purge(7 * 86_400, 1000);
    expect((await create(apiKey, 'week')).text).toBe(first.text);
    await exchange.database.query("update responses set created_at = now() - interval '7 days 1 minute'");
    expect(await responses.purge(7 * 86_400, 1000)).toBeGreaterThan(0);
    expect((await create(apiKey, 'week')).text).not.toBe(first.text);
  });
});
