import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Scope } from '@waybill/protocol/v1';
import { describe, expect, test } from 'vitest';
import { MemoryLimits } from '../../../../test/memory/memory-limits.ts';
import { memoryMailer } from '../../../../test/memory/memory-mailer.ts';
import { memorySmsGateway } from '../../../../test/memory/memory-sms-gateway.ts';
import { placeEvidence } from '../../../../test/place-evidence.ts';
import { requestV1 } from '../../../../test/request-v1.ts';
import { runAdmin } from '../../../../test/run-admin.ts';
import { runJob } from '../../../../test/run-job.ts';
import { buildTestServer, testHost } from '../../../../test/server.ts';
import { useTestServer } from '../../../../test/use-test-server.ts';
import { authenticateBearer } from '../../../domain/accounts/authenticate.ts';
import { createRestrictedKey } from '../../../domain/accounts/change-keys.ts';
import { toTestAddress } from '../../../domain/accounts/test-address.ts';
import { findLink } from '../../../domain/links/find-link.ts';
import { sendMessageJob } from '../../../domain/outbox/send-message.ts';
import type { Route } from '../route.ts';
import { routes } from '../routes.ts';

const { exchange, app } = await useTestServer();
const { engines } = exchange;
const { query } = exchange.database;

const ask = (method: Route['method'], path: string, key: string, body?: object, headers?: Record<string, string>) =>
  requestV1(app, method, path, { key, ...(body && { body }), ...(headers && { headers }) });

/** The events of a test account. Readers get them once no older transaction runs, which may be one of another test. */
const readEvents = (email: string) =>
  query<{ type: string; data: object }>(
    `select events.type, events.data from events join accounts on accounts.id = account_id where email = $1
     order by events.transaction_id, events.sequence`,
    [email],
  );
const allScopes: Scope[] = ['send', 'receive', 'contacts', 'history', 'webhooks', 'keys'];

/** A live account with a key of its test account. */
async function startTests(input: object = {}) {
  const live = await exchange.account();
  const body = { name: 'pipeline', scopes: allScopes, mode: 'test', ...input };
  const created = await ask('POST', '/keys', live.apiKey, body);
  expect(created.status, created.text).toBe(201);
  const { id, api_key: key } = created.json() as { id: string; api_key: string };
  return { live, key, keyId: id, email: toTestAddress(live.email) };
}

const newAddress = () => `${randomBytes(6).toString('hex')}@test.example.org`;

async function upload(key: string, name = 'a.txt', content = 'hello'): Promise<string> {
  const reply = await app.inject({
    method: 'POST',
    url: '/api/v1/uploads',
    headers: {
      host: testHost,
      authorization: `Bearer ${key}`,
      'content-type': 'text/plain',
      'content-disposition': `attachment; filename="${name}"`,
    },
    payload: content,
  });
  expect(reply.statusCode, reply.body).toBe(201);
  return reply.json().id as string;
}

async function send(key: string, receivers: readonly object[], extra: object = {}) {
  return ask('POST', '/drops', key, { uploads: [await upload(key)], receivers, ...extra });
}

async function sendDrop(key: string, ...emails: string[]): Promise<string> {
  const sent = await send(
    key,
    emails.map((email) => ({ email })),
  );
  expect(sent.status, sent.text).toBe(201);
  return sent.json().id as string;
}

/** Runs the jobs of every message that waits, as `work` does. Returns what reached the mail server and the gateway. */
async function sendWaiting(): Promise<{ mails: number; texts: number }> {
  const [mailer, sms] = [memoryMailer(), memorySmsGateway()];
  const waiting = await query<{ account_id: string; id: string }>(
    "select account_id, id from messages where state = 'waiting' and due_at <= now()",
  );
  for (const { account_id: accountId, id: messageId } of waiting) {
    await runJob({ ...engines, mailer, sms }, sendMessageJob, { accountId, messageId });
  }
  return { mails: mailer.sent.length, texts: sms.sent.length };
}

async function listMessages(key: string, search = '') {
  const listed = await ask('GET', `/test/messages${search}`, key);
  expect(listed.status, listed.text).toBe(200);
  return listed.json().data as { id: string; kind: string; to: string; link: string; code: string; text: string }[];
}

describe('a test key', () => {
  test('is one of a test account, which its first key opens', async () => {
    const { live, key, email, keyId } = await startTests();
    expect(key).toMatch(/^wb_test_[A-Za-z0-9_-]{49}$/);
    expect((await ask('GET', '/account', key)).json()).toMatchObject({
      email,
      mode: 'test',
      limits: { stored_size: 1024 ** 3, drops_per_day: 1000, mails_per_day: 10_000, max_expires_in: 604_800 },
    });
    expect((await ask('GET', '/account', live.apiKey)).json()).toMatchObject({ email: live.email, mode: 'live' });
    const second = (await ask('POST', '/keys', live.apiKey, { name: 'b', scopes: ['send'], mode: 'test' })).json();
    expect(second).toMatchObject({ mode: 'test', created_by: live.key.id });
    expect((await ask('GET', '/account', second.api_key)).json()).toMatchObject({ email });
    const listed = (await ask('GET', '/keys', live.apiKey)).json().data as { id: string; mode: string; hint: string }[];
    expect(listed.map(({ id, mode }) => [id, mode])).toEqual(
      expect.arrayContaining([
        [live.key.id, 'live'],
        [keyId, 'test'],
        [second.id, 'test'],
      ]),
    );
    expect(listed.find(({ id }) => id === keyId)?.hint).toMatch(/^wb_test_.{4}…$/);
    const actions = await query('select action, details from audit_entries where author_id = $1 order by at', [
      live.key.id,
    ]);
    expect(actions).toMatchObject([
      { action: 'account.created', details: { email, testOf: live.email } },
      { action: 'key.created' },
      { action: 'key.created' },
    ]);
  });

  test('creates test keys only, sees no live key and revokes none', async () => {
    const { live, key } = await startTests();
    const asked = await ask('POST', '/keys', key, { name: 'x', scopes: ['send'], mode: 'live' });
    expect([asked.status, asked.json().code]).toEqual([403, 'scope_missing']);
    const own = (await ask('POST', '/keys', key, { name: 'x', scopes: ['send'] })).json();
    expect(own).toMatchObject({ mode: 'test', api_key: expect.stringMatching(/^wb_test_/) });
    const listed = (await ask('GET', '/keys', key)).json().data as { id: string; mode: string }[];
    expect(new Set(listed.map(({ mode }) => mode))).toEqual(new Set(['test']));
    expect((await ask('DELETE', `/keys/${live.key.id}`, key)).status).toBe(404);
    expect((await ask('GET', '/account', live.apiKey)).status).toBe(200);
  });

  test('may do no more than the live key that creates it, and ends with it', async () => {
    const live = await exchange.account();
    const restricted = (await ask('POST', '/keys', live.apiKey, { name: 'ci', scopes: ['keys', 'send'] })).json();
    const more = await ask('POST', '/keys', restricted.api_key, { name: 'x', scopes: ['receive'], mode: 'test' });
    expect([more.status, more.json().code]).toEqual([403, 'scope_missing']);
    const made = await ask('POST', '/keys', restricted.api_key, { name: 'x', scopes: ['send', 'keys'], mode: 'test' });
    const deeper = (await ask('POST', '/keys', made.json().api_key, { name: 'y', scopes: ['send'] })).json();
    const revoked = await ask('DELETE', `/keys/${restricted.id}?descendants=true`, live.apiKey);
    expect(new Set(revoked.json().ids)).toEqual(new Set([restricted.id, made.json().id, deeper.id]));
    for (const each of [made.json(), deeper]) expect((await ask('GET', '/account', each.api_key)).status).toBe(401);
  });

  test('needs the scope keys, and can be revoked with a live key', async () => {
    const { live, key, keyId } = await startTests();
    const sender = (await ask('POST', '/keys', live.apiKey, { name: 'ci', scopes: ['send'] })).json();
    const denied = await ask('POST', '/keys', sender.api_key, { name: 'x', scopes: ['send'], mode: 'test' });
    expect([denied.status, denied.json().code]).toEqual([403, 'scope_missing']);
    expect((await ask('DELETE', `/keys/${keyId}`, live.apiKey)).json()).toMatchObject({ ids: [keyId] });
    expect((await ask('GET', '/account', key)).status).toBe(401);
  });

  test('is counted apart from those of the live account', async () => {
    const { live, key } = await startTests();
    const { email } = (await ask('GET', '/account', key)).json();
    const full = (await query<{ id: string }>('select id from accounts where email = $1', [email]))[0]?.id;
    await query(
      `insert into api_keys (account_id, id, hint, digest, scopes)
       select $1, gen_random_uuid(), 'x', uuid_send(gen_random_uuid()), '{send}' from generate_series(1, 50)`,
      [full],
    );
    const input = { name: 'x', scopes: ['send'] };
    expect((await ask('POST', '/keys', live.apiKey, { ...input, mode: 'test' })).json().code).toBe('too_many_keys');
    expect((await ask('POST', '/keys', live.apiKey, input)).status).toBe(201);
  });

  test('is not created while another account has the address, which is said', async () => {
    const live = await exchange.account();
    const email = toTestAddress(live.email);
    await runAdmin(exchange, 'accounts', 'create', '--email', email, '--phone', '46700000001');
    const asked = await ask('POST', '/keys', live.apiKey, { name: 'x', scopes: ['send'], mode: 'test' });
    expect([asked.status, asked.json().code]).toEqual([400, 'invalid_input']);
    expect(asked.json().detail).toContain(`${email} is the address of an account already`);
  });

  test.each(['TEST', 'sandbox', '', null, 1, ['test']])('has no mode %j', async (mode) => {
    const live = await exchange.account();
    expect((await ask('POST', '/keys', live.apiKey, { name: 'x', scopes: ['send'], mode })).status).toBe(400);
  });

  test('can be created by an administrator, for the machine API too', async () => {
    const live = await exchange.account();
    const printed = await runAdmin(exchange, 'api-keys', 'create', '--account', live.email, '--test', '--json');
    const { api_key: apiKey, account, mode } = JSON.parse(printed);
    expect({ account, mode }).toEqual({ account: toTestAddress(live.email), mode: 'test' });
    const basic = Buffer.from(`${account}:${apiKey}`).toString('base64');
    const headers = { host: testHost, authorization: `Basic ${basic}` };
    expect((await app.inject({ url: `/${account}/`, headers })).statusCode).toBe(200);
    const listed = await runAdmin(exchange, 'accounts', 'list', '--search', account);
    expect(listed).toMatch(new RegExp(`${account}\\s+test\\s+active`));
  });
});

describe('a test account', () => {
  test('keeps the mail to a receiver, whose link works, and nothing is sent', async () => {
    const { key, email } = await startTests();
    const to = newAddress();
    const dropId = await sendDrop(key, to);
    expect(await sendWaiting()).toEqual({ mails: 0, texts: 0 });
    const [message, ...others] = await listMessages(key, `?to=${encodeURIComponent(to)}`);
    expect(others).toEqual([]);
    expect(message).toMatchObject({
      kind: 'invitation',
      channel: 'mail',
      to,
      drop_id: dropId,
      request_id: null,
      subject: expect.stringContaining('sent you'),
      code: null,
    });
    expect(message?.text).toContain(message?.link);
    const token = message?.link.split('/').at(-1) as string;
    expect(await findLink(engines, token, 'downloadfiles')).toMatchObject({ receiver: to, isTest: true });
    const events = await readEvents(email);
    expect(events.map(({ type }) => type)).toEqual(['drop.created', 'test.message_kept', 'drop.notified']);
    expect(events[1]?.data).toEqual({ message_id: message?.id, kind: 'invitation', to });
  });

  test('sends only to test addresses', async () => {
    const { key } = await startTests();
    for (const email of ['anna@example.org', 'anna@testing.org', 'test.anna@example.org', 'anna@example.test']) {
      const refused = await send(key, [{ email }]);
      expect([refused.status, refused.json().code], email).toEqual([403, 'recipient_not_allowed']);
      expect(refused.json().errors?.[0]?.detail ?? refused.json().detail).toContain('is no test address');
      const request = await ask('POST', '/requests', key, { receivers: [{ email }], message: '' });
      expect([request.status, request.json().code], email).toEqual([403, 'recipient_not_allowed']);
    }
    const dropId = await sendDrop(key, 'Anna@TEST.example.org');
    const added = await ask('POST', `/drops/${dropId}/receivers`, key, { email: 'bo@example.org' });
    expect([added.status, added.json().code]).toEqual([403, 'recipient_not_allowed']);
  });

  test('has the domains and the code of its live account', async () => {
    const { live, key } = await startTests();
    const set = ['accounts', 'set', '--account', live.email];
    await runAdmin(exchange, ...set, '--receiver-domains', 'acme.com', '--second-factor', 'mail');
    const refused = await send(key, [{ email: newAddress() }]);
    expect([refused.status, refused.json().code]).toEqual([403, 'recipient_not_allowed']);
    expect(refused.text).toContain('test.acme.com');
    const sent = await send(key, [{ email: 'anna@test.acme.com' }]);
    expect(sent.status, sent.text).toBe(201);
    expect((await ask('GET', `/drops/${sent.json().id}`, key)).json()).toMatchObject({ second_factor: 'mail' });
  });

  test('is opened by an administrator if its live account may send only to certain domains', async () => {
    const live = await exchange.account();
    await runAdmin(exchange, 'accounts', 'set', '--account', live.email, '--receiver-domains', 'acme.com');
    const create = () => ask('POST', '/keys', live.apiKey, { name: 'x', scopes: ['send'], mode: 'test' });
    const refused = await create();
    expect([refused.status, refused.json().code]).toEqual([400, 'invalid_input']);
    expect(refused.json().detail).toContain(`waybilld admin api-keys create --account ${live.email} --test`);
    expect(await query('select from accounts where email = $1', [toTestAddress(live.email)])).toEqual([]);
    await runAdmin(exchange, 'api-keys', 'create', '--account', live.email, '--test');
    expect((await create()).status).toBe(201);
  });

  test('has short lifetimes', async () => {
    const { key } = await startTests();
    const refused = await send(key, [{ email: newAddress() }], { expires_in: 8 * 86_400 });
    expect([refused.status, refused.json().code]).toEqual([400, 'invalid_input']);
  });

  test('exchanges with the test account of another account, and with no live one', async () => {
    const [from, to] = [await startTests(), await startTests()];
    await sendDrop(from.key, to.email);
    const claimed = (await ask('POST', '/inbox/claim', to.key, { max: 1 })).json().data;
    expect(claimed).toMatchObject([{ sender: from.email, file_count: 1 }]);
    const [{ id, files }] = claimed;
    const bytes = (await ask('GET', `/inbox/${id}/files/${files[0].id}`, to.key)).bytes;
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(files[0].sha256);
    expect((await ask('POST', '/inbox/claim', to.live.apiKey, {})).json().data).toEqual([]);
  });

  test('gets nothing from a live account, and gives nothing to one', async () => {
    const [one, other] = [await startTests(), await startTests()];
    await sendDrop(one.live.apiKey, other.email, other.live.email);
    expect((await ask('GET', '/inbox', other.key)).json().data).toEqual([]);
    expect((await ask('GET', '/inbox', other.live.apiKey)).json().data).toMatchObject([{ sender: one.live.email }]);
    // A live account may have an address in such a domain.
    const email = newAddress();
    const made = await runAdmin(exchange, 'accounts', 'create', '--email', email, '--phone', '46700000001', '--json');
    await sendDrop(one.key, email);
    expect((await ask('GET', '/inbox', JSON.parse(made).api_key)).json().data).toEqual([]);
  });

  test('sends no message of any kind', async () => {
    const { key } = await startTests();
    const [account] = await query<{ id: string }>(
      'select account_id as id from api_keys where digest is not null order by created_at desc limit 1',
    );
    const accountId = account?.id as string;
    const email = newAddress();
    const request = await ask('POST', '/requests', key, { receivers: [{ email, phone: '46700000002' }], message: '' });
    expect(request.status, request.text).toBe(201);
    const dropId = await sendDrop(key, email);
    await sendWaiting();
    const kinds = await query<{ kind: string }>('select unnest(enum_range(null::message_kind))::text as kind');
    // Every kind is written, also those that nothing causes today.
    await query(`update links set undeliverable_at = now(), undeliverable_reason = '550' where drop_id = $1`, [dropId]);
    for (const { kind } of kinds) {
      for (const channel of kind === 'code' ? ['mail', 'sms'] : ['mail']) {
        await query(
          `insert into messages (account_id, drop_id, id, position, kind, channel, receiver)
           values ($1, $2, gen_random_uuid(), 0, $3::message_kind, $4::message_channel, $5)`,
          [
            accountId,
            kind === 'reminder' ? request.json().id : dropId,
            kind,
            channel,
            channel === 'sms' ? '46700000002' : email,
          ],
        );
      }
    }
    const [mailer, sms] = [memoryMailer(), memorySmsGateway()];
    const all = { ...engines, mailer, sms };
    for (const { id } of await query<{ id: string }>("select id from messages where state = 'waiting'")) {
      await runJob(all, sendMessageJob, { accountId, messageId: id });
    }
    const webhook = (await ask('POST', '/webhooks', key, { url: 'https://example.org/hook' })).json();
    await query("update webhooks set disabled_at = now(), disabled_reason = 'failing' where id = $1", [webhook.id]);
    await runJob(all, 'tell-owner-of-webhook', { accountId, webhookId: webhook.id, messageId: randomUUID() });
    await query(
      `insert into inbox_entries (account_id, id, sender_account_id, drop_id, state, attempts, due_at)
       values ($1, gen_random_uuid(), $1, $2, 'last_attempt', 1, now() - interval '1 minute')`,
      [accountId, dropId],
    );
    await runJob(all, 'tell-of-parked-entries', { accountId, messageId: randomUUID() });
    expect([mailer.sent, sms.sent]).toEqual([[], []]);
    const kept = await listMessages(key);
    const described = routes.find(({ path }) => path === '/test/messages')?.query as unknown as {
      properties: { kind: { enum: string[] } };
    };
    expect(new Set(kept.map(({ kind }) => kind))).toEqual(new Set(described.properties.kind.enum));
    expect(kept.filter(({ kind }) => kind === 'code')).toMatchObject([
      { channel: 'sms', to: '46700000002', subject: null, code: expect.stringMatching(/^\d{6}$/) },
      { channel: 'mail', to: email, code: expect.stringMatching(/^\d{6}$/) },
    ]);
  });

  test('is not reached by what a live account has used up, nor the other way round', async () => {
    const { live, key } = await startTests();
    await sendDrop(key, newAddress());
    expect((await ask('GET', '/account', live.apiKey)).json().usage).toMatchObject({
      stored_size: 0,
      drops_today: 0,
      mails_today: 0,
    });
    // A live account may write to such an address, however much was kept that is for it.
    const messageLimit = new MemoryLimits().messageLimit({ perAccount: 1000, perReceiver: 1 });
    const server = buildTestServer(exchange, { messageLimit });
    const to = newAddress();
    const statusOf = async (own: string) => {
      const body = { uploads: [await upload(own)], receivers: [{ email: to }] };
      return (await requestV1(server, 'POST', '/drops', { key: own, body })).status;
    };
    expect([await statusOf(key), await statusOf(key)]).toEqual([201, 201]);
    expect([await statusOf(live.apiKey), await statusOf(live.apiKey)]).toEqual([201, 429]);
    await server.close();
  });

  test('has no members', async () => {
    const { email } = await startTests();
    const person = `${randomBytes(4).toString('hex')}@example.org`;
    await runAdmin(exchange, 'people', 'invite', '--email', person);
    const set = ['members', 'set', '--account', email, '--email', person, '--role', 'owner'];
    await expect(runAdmin(exchange, ...set)).rejects.toThrow('has no members');
    // Nor does it become that of a person who has its address.
    await runAdmin(exchange, 'people', 'invite', '--email', email);
    expect(await runAdmin(exchange, 'members', 'list', '--account', email)).not.toContain(person);
    const joined = await query(
      'select from memberships join accounts on accounts.id = account_id where accounts.email = $1',
      [email],
    );
    expect(joined).toEqual([]);
  });

  test('is disabled, enabled and deleted with its live account', async () => {
    const { live, key, email } = await startTests();
    await sendDrop(key, newAddress());
    await sendWaiting();
    const status = async () => (await ask('GET', '/account', key)).status;
    await runAdmin(exchange, 'accounts', 'disable', '--account', live.email);
    expect(await status()).toBe(401);
    await runAdmin(exchange, 'accounts', 'enable', '--account', live.email);
    expect(await status()).toBe(200);
    await runAdmin(exchange, 'accounts', 'delete', '--account', live.email, '--yes');
    expect(await status()).toBe(401);
    await placeEvidence(exchange.database);
    for (let sweeps = 0; sweeps < 4; sweeps += 1) await runAdmin(exchange, 'sweep');
    expect(await query('select email from accounts where email = any($1)', [[live.email, email]])).toEqual([]);
  });

  /** Creates a test key in a transaction that stays open until the change is done, or waits for it. */
  async function createDuring(creator: string, change: () => Promise<unknown>): Promise<string> {
    const caller = await authenticateBearer(engines, creator, '192.0.2.7');
    const { promise: isHeld, resolve: hold } = Promise.withResolvers<void>();
    const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
    const transaction: typeof engines.store.transaction = (work) =>
      engines.store.transaction(async (tx) => {
        const result = await work(tx);
        hold();
        await isReleased;
        return result;
      });
    const input = { name: 'late', scopes: ['send' as const], networks: null, expiresAt: null, mode: 'test' as const };
    const creating = createRestrictedKey({ ...engines, store: { ...engines.store, transaction } }, caller, input);
    await isHeld;
    const changed = change().finally(release);
    const isWaiting = async () =>
      (await query("select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"))
        .length > 0;
    await Promise.race([changed, expect.poll(isWaiting, { timeout: 10_000 }).toBe(true)]);
    release();
    await changed;
    return (await creating).apiKey;
  }

  test.each(['disable', 'delete --yes'])('that is being opened ends with its live account: %s', async (command) => {
    const live = await exchange.account();
    const [name = '', ...options] = command.split(' ');
    const key = await createDuring(live.apiKey, () =>
      runAdmin(exchange, 'accounts', name, '--account', live.email, ...options),
    );
    expect((await ask('GET', '/account', key)).status).toBe(401);
    const states = await query<{ ended: boolean }>(
      `select ${name === 'disable' ? 'disabled_at' : 'deleted_at'} is not null as ended from accounts
       where email = any($1)`,
      [[live.email, toTestAddress(live.email)]],
    );
    expect(states).toEqual([{ ended: true }, { ended: true }]);
  });

  test('leaves no key that a revoked one was creating', async () => {
    const { live, key, keyId } = await startTests();
    const late = await createDuring(key, () => ask('DELETE', `/keys/${keyId}?descendants=true`, live.apiKey));
    expect((await ask('GET', '/account', late)).status).toBe(401);
  });

  test('can be deleted alone, and is opened again', async () => {
    const { live, email, key } = await startTests();
    await runAdmin(exchange, 'accounts', 'delete', '--account', email, '--yes');
    const asked = await ask('POST', '/keys', live.apiKey, { name: 'x', scopes: ['send'], mode: 'test' });
    expect([asked.status, asked.json().code]).toEqual([503, 'unavailable']);
    await runAdmin(exchange, 'accounts', 'enable', '--account', live.email);
    expect((await ask('GET', '/account', key)).status).toBe(401);
    for (let sweeps = 0; sweeps < 3; sweeps += 1) await runAdmin(exchange, 'sweep');
    expect((await ask('POST', '/keys', live.apiKey, { name: 'x', scopes: ['send'], mode: 'test' })).status).toBe(201);
    expect((await ask('GET', '/account', live.apiKey)).status).toBe(200);
  });

  test('says in each of its events of the log that it is one, and a live account in none', async () => {
    const { live, key } = await startTests();
    const ids = [await sendDrop(key, newAddress()), await sendDrop(live.apiKey, 'r@example.org')];
    await sendWaiting();
    for (const [index, id] of ids.entries()) {
      const path = `/drops/${id}/revoke`;
      expect((await ask('POST', path, index === 0 ? key : live.apiKey, {})).status).toBe(200);
      const events = await query<{ kind: string; test: boolean | null }>(
        `select kind, (data ->> 'test')::boolean as test from evidence_entries where drop_id = $1`,
        [id],
      );
      expect(events.map(({ kind }) => kind)).toEqual(
        expect.arrayContaining(['submission.accepted', 'content.consigned', 'notification.sent', 'drop.revoked']),
      );
      expect(new Set(events.map(({ test: isTest }) => isTest))).toEqual(new Set([index === 0 ? true : null]));
    }
  });
});

describe('the data of a test account', () => {
  test('is not reached with a live key of the same account, nor live data with a test key', async () => {
    const { live, key } = await startTests();
    const owners = [
      { key, foreign: live.apiKey, email: newAddress() },
      { key: live.apiKey, foreign: key, email: 'r@example.org' },
    ];
    for (const owner of owners) {
      const dropId = await sendDrop(owner.key, owner.email);
      const request = await ask('POST', '/requests', owner.key, { receivers: [{ email: owner.email }], message: '' });
      const uploadId = await upload(owner.key);
      const webhook = await ask('POST', '/webhooks', owner.key, { url: 'https://example.org/hook' });
      await ask('PUT', `/contacts/${owner.email}`, owner.key, { name: 'Anna' });
      const requestId = request.json().id;
      const paths: [Route['method'], string, object?][] = [
        ['GET', `/drops/${dropId}`],
        ['POST', `/drops/${dropId}/revoke`, {}],
        ['POST', `/drops/${dropId}/remind`, {}],
        ['POST', `/drops/${dropId}/receivers`, { email: newAddress() }],
        ['GET', `/requests/${requestId}`],
        ['POST', `/requests/${requestId}/revoke`, {}],
        ['GET', `/uploads/${uploadId}`],
        ['DELETE', `/uploads/${uploadId}`],
        ['GET', `/webhooks/${webhook.json().id}`],
        ['DELETE', `/webhooks/${webhook.json().id}`],
        ['GET', `/contacts/${owner.email}`],
      ];
      for (const [method, path, body] of paths) {
        expect((await ask(method, path, owner.foreign, body)).status, `${method} ${path}`).toBe(404);
        if (method === 'GET') expect((await ask(method, path, owner.key)).status, path).toBe(200);
      }
      for (const list of ['/drops', '/requests', '/inbox', '/webhooks', '/contacts']) {
        expect((await ask('GET', list, owner.foreign)).text, list).not.toContain(dropId.slice(-12));
        expect((await ask('GET', list, owner.foreign)).text, list).not.toContain(owner.email);
      }
      expect((await ask('GET', '/events', owner.foreign)).text).not.toContain(dropId);
      const taken = await ask('POST', '/drops', owner.foreign, {
        uploads: [uploadId],
        receivers: [{ email: newAddress() }],
      });
      expect([taken.status, taken.json().code]).toEqual([404, 'not_found']);
      await ask('POST', `/drops/${dropId}/revoke`, owner.key, {});
      await ask('POST', `/requests/${requestId}/revoke`, owner.key, {});
      await ask('DELETE', `/contacts/${owner.email}`, owner.key);
    }
  });

  test('does not include the contacts of the administrator', async () => {
    const { live, key } = await startTests();
    await query("insert into global_contacts values ('shared@example.org', 0, 'Shared', '', 'en', '{all}')");
    expect((await ask('GET', '/contacts', live.apiKey)).text).toContain('shared@example.org');
    expect((await ask('GET', '/contacts', key)).text).not.toContain('shared@example.org');
    expect((await ask('GET', '/contacts/shared@example.org', key)).status).toBe(404);
  });
});

describe('kept messages', () => {
  test('are filtered, paged and waited for', async () => {
    const { key } = await startTests();
    const [one, other] = [newAddress(), newAddress()];
    const first = await sendDrop(key, one, other);
    await sendWaiting();
    const request = await ask('POST', '/requests', key, { receivers: [{ email: one }], message: '' });
    const waiting = listMessages(key, `?request_id=${request.json().id}&wait=20`);
    await sendWaiting();
    expect(await waiting).toMatchObject([
      { kind: 'invitation', to: one, request_id: request.json().id, drop_id: null },
    ]);
    const ofDrop = await listMessages(key, `?drop_id=${first}`);
    expect(new Set(ofDrop.map(({ to }) => to))).toEqual(new Set([one, other]));
    const since = ofDrop.at(-1)?.id as string;
    expect(await listMessages(key, `?drop_id=${first}&since=${since}`)).toEqual(ofDrop.slice(0, 1));
    expect(await listMessages(key, '?kind=code')).toEqual([]);
    const pages: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = (await ask('GET', `/test/messages?limit=1${cursor && `&cursor=${cursor}`}`, key)).json();
      pages.push(...page.data.map(({ id }: { id: string }) => id));
      cursor = page.next_cursor;
    }
    expect(pages).toEqual((await listMessages(key)).map(({ id }) => id));
    expect(pages).toHaveLength(3);
  });

  test('belong to a test account, and to no other', async () => {
    const [one, other] = [await startTests(), await startTests()];
    await sendDrop(one.key, newAddress());
    await sendWaiting();
    expect(await listMessages(one.key)).toHaveLength(1);
    expect(await listMessages(other.key)).toEqual([]);
    const live = await ask('GET', '/test/messages', one.live.apiKey);
    expect([live.status, live.json().code]).toEqual([404, 'not_found']);
    expect(live.json().detail).toContain('Use a test key');
    const narrow = (await ask('POST', '/keys', one.key, { name: 'x', scopes: ['send'] })).json();
    expect((await ask('GET', '/test/messages', narrow.api_key)).status).toBe(403);
  });

  test.each([
    'wait=31',
    'wait=-1',
    'wait=x',
    'kind=letter',
    'drop_id=1',
    'since=%00',
    'to=',
    `to=${'a'.repeat(255)}`,
    'limit=0',
    'limit=101',
    'cursor=AAAA',
    'unknown=1',
  ])('refuse %s', async (search) => {
    const { key } = await startTests();
    expect((await ask('GET', `/test/messages?${search}`, key)).status).toBe(400);
  });

  test('are the newest thousand, for a week', async () => {
    const { key } = await startTests();
    await sendDrop(key, newAddress());
    await sendWaiting();
    const [kept] = await query<{ account_id: string }>(
      'select account_id from test_messages order by sequence desc limit 1',
    );
    await query(
      `insert into test_messages (account_id, id, kind, channel, receiver, text)
       select $1, gen_random_uuid(), 'code', 'sms', '467', '' from generate_series(1, 1100)`,
      [kept?.account_id],
    );
    await sendDrop(key, newAddress());
    await sendWaiting();
    const count = async () =>
      (
        await query<{ count: string }>('select count(*) from test_messages where account_id = $1', [kept?.account_id])
      )[0]?.count;
    expect(Number(await count())).toBe(1000);
    await query(
      "update test_messages set created_at = now() - interval '8 days' where account_id = $1 and kind = 'code'",
      [kept?.account_id],
    );
    await runAdmin(exchange, 'sweep');
    expect(Number(await count())).toBe(1);
  });
});

test('nothing but the place that knows the account hands a mail or SMS to the mail server or the gateway', () => {
  const source = join(import.meta.dirname, '../../..');
  const callers = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path) && !path.includes('.test.') && !path.startsWith('engines/'))
    .filter((path) => /(?:mailer|sms)\??\.send\b/.test(readFileSync(join(source, path), 'utf8')));
  expect(callers.toSorted()).toEqual([
    // Of the operator, to an address on the command line.
    'domain/outbox/send-or-keep.ts',
    'domain/outbox/test-mail.ts',
    // To people, who are in no test account.
    'domain/people/send-person-mails.ts',
  ]);
});
