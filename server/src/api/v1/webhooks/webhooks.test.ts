import { randomUUID } from 'node:crypto';
import { limits } from '@waybill/protocol';
import { eventTypes, type Scope, scopes } from '@waybill/protocol/v1';
import { Webhook as Verifier } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { type AskV1, requestV1 } from '../../../../test/request-v1.ts';
import { runAdmin } from '../../../../test/run-admin.ts';
import { startReceiver } from '../../../../test/servers/webhook-receiver.ts';
import { useTestServer } from '../../../../test/use-test-server.ts';
import { authenticateBearer } from '../../../domain/accounts/authenticate.ts';
import { createWebhook } from '../../../domain/webhooks/change-webhook.ts';
import { deliverEvents } from '../../../domain/webhooks/deliver-events.ts';
import { mayRead } from '../../../domain/webhooks/readable-events.ts';
import type { Route } from '../route.ts';

const { exchange, app } = await useTestServer();

const ask = (method: Route['method'], path: string, options: AskV1) => requestV1(app, method, path, options);
const input = { url: 'https://example.org/hook', types: ['drop.created'], description: 'archive' };
async function newWebhook(body: object = input) {
  const owner = await exchange.account();
  const created = await ask('POST', '/webhooks', { key: owner.apiKey, body });
  expect(created.status).toBe(201);
  const { secret, ...webhook } = created.json();
  return { owner, key: owner.apiKey, secret: secret as string, webhook, etag: String(created.headers['etag']) };
}

describe('a webhook', () => {
  test('is created, listed, read, changed and removed; its secret is shown once', async () => {
    const { key, secret, webhook } = await newWebhook();
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(webhook).toMatchObject({ ...input, failing_since: null, disabled_at: null, previous_secret_until: null });
    expect(webhook.public_keys).toEqual([expect.stringMatching(/^whpk_[A-Za-z0-9+/]{43}=$/)]);
    const path = `/webhooks/${webhook.id}`;
    expect((await ask('GET', '/webhooks', { key })).json()).toEqual({ data: [webhook], next_cursor: null });
    const read = await ask('GET', path, { key });
    expect(read.json()).toEqual(webhook);
    const body = { url: 'https://example.org/other', types: null };
    const changed = await ask('PATCH', path, { key, body });
    expect(changed.json()).toEqual({ ...webhook, ...body });
    expect(changed.headers['etag']).not.toBe(read.headers['etag']);
    expect((await ask('PATCH', path, { key, body: { description: '' } })).json()).toMatchObject({
      ...body,
      description: '',
    });
    expect((await ask('DELETE', path, { key })).status).toBe(204);
    expect((await ask('GET', path, { key })).status).toBe(404);
    expect((await ask('GET', '/webhooks', { key })).json()).toEqual({ data: [], next_cursor: null });
    const actions = await exchange.database.query(
      "select action from audit_entries where details ->> 'webhookId' = $1 order by id",
      [webhook.id],
    );
    expect(actions.map(({ action }) => action)).toEqual([
      'webhook.created',
      'webhook.changed',
      'webhook.changed',
      'webhook.deleted',
    ]);
  });

  test('is for all types of events unless some are named', async () => {
    const { webhook } = await newWebhook({ url: 'https://example.org/' });
    expect(webhook).toMatchObject({ types: null, description: '' });
  });

  test('is visible only to its account', async () => {
    const { webhook } = await newWebhook();
    const { apiKey: key } = await exchange.account();
    const path = `/webhooks/${webhook.id}`;
    for (const [method, place, body] of [
      ['GET', path, undefined],
      ['PATCH', path, { description: 'mine' }],
      ['DELETE', path, undefined],
      ['POST', `${path}/replace_secret`, {}],
      ['POST', `${path}/enable`, undefined],
      ['POST', `${path}/disable`, undefined],
      ['POST', `${path}/test`, undefined],
      ['POST', `${path}/replay`, { since: '2030-01-01T00:00:00Z' }],
      ['GET', `${path}/attempts`, undefined],
    ] as const) {
      const reply = await ask(method, place, { key, ...(body && { body }) });
      expect([method, place, reply.status]).toEqual([method, place, 404]);
    }
    expect((await ask('GET', '/webhooks', { key })).json()).toEqual({ data: [], next_cursor: null });
  });

  test.each([
    [{ url: 'http://169.254.169.254/' }, '/url'],
    [{ url: 'https://user:secret@example.org/' }, '/url'],
    [{ url: 'not a url' }, '/url'],
    [{ url: `https://example.org/${'x'.repeat(limits.webhookUrlLength)}` }, '/url'],
    [{ url: 'https://example.org/', types: [] }, '/types'],
    [{ url: 'https://example.org/', types: ['drop.stolen'] }, '/types'],
    [{ url: 'https://example.org/', secret: 'mine' }, '/secret'],
    [{}, '/url'],
  ])('is refused as %o', async (body, pointer) => {
    const { apiKey: key } = await exchange.account();
    const { status, json } = await ask('POST', '/webhooks', { key, body });
    expect([status, json().errors[0].pointer.startsWith(pointer)]).toEqual([400, true]);
    expect((await ask('GET', '/webhooks', { key })).json()).toEqual({ data: [], next_cursor: null });
  });

  test('keeps its URL when the new one is refused', async () => {
    const { key, webhook } = await newWebhook();
    const reply = await ask('PATCH', `/webhooks/${webhook.id}`, { key, body: { url: 'https://10.0.0.1/' } });
    expect(reply.status).toBe(400);
    expect((await ask('GET', `/webhooks/${webhook.id}`, { key })).json()).toEqual(webhook);
  });

  test('is not changed if If-Match has an older version', async () => {
    const { key, webhook, etag } = await newWebhook();
    const path = `/webhooks/${webhook.id}`;
    const headers = { 'if-match': etag };
    expect((await ask('PATCH', path, { key, headers, body: { description: 'a' } })).status).toBe(200);
    for (const [method, place, body] of [
      ['PATCH', path, { description: 'b' }],
      ['POST', `${path}/replace_secret`, {}],
      ['POST', `${path}/enable`, undefined],
      ['POST', `${path}/disable`, undefined],
      ['DELETE', path, undefined],
    ] as const) {
      expect((await ask(method, place, { key, headers, ...(body && { body }) })).status).toBe(412);
    }
    const current = await ask('GET', path, { key });
    expect(current.json()).toMatchObject({ description: 'a', public_keys: webhook.public_keys });
    const removal = { key, headers: { 'if-match': String(current.headers['etag']) } };
    expect((await ask('DELETE', path, removal)).status).toBe(204);
  });

  test('is one of a limited number, even if many are requested at once', async () => {
    const { apiKey: key } = await exchange.account();
    const made = await Promise.all(
      Array.from({ length: limits.webhooksPerAccount + 2 }, () => ask('POST', '/webhooks', { key, body: input })),
    );
    expect(made.filter(({ status }) => status === 201)).toHaveLength(limits.webhooksPerAccount);
    expect(made.filter(({ status }) => status === 409)).toHaveLength(2);
  });

  test('is created once by a repeated request, with the same secret', async () => {
    const { apiKey: key } = await exchange.account();
    const headers = { 'idempotency-key': 'one' };
    const [first, second] = [
      await ask('POST', '/webhooks', { key, headers, body: input }),
      await ask('POST', '/webhooks', { key, headers, body: input }),
    ];
    expect(second.text).toBe(first.text);
    expect((await ask('GET', '/webhooks', { key })).json().data).toHaveLength(1);
  });

  test('gets a new secret, and keeps the previous one for a while', async () => {
    const { key, secret, webhook } = await newWebhook();
    const path = `/webhooks/${webhook.id}`;
    const replaced = (await ask('POST', `${path}/replace_secret`, { key, body: {} })).json();
    expect(replaced.secret).not.toBe(secret);
    expect(replaced.public_keys).toEqual([expect.any(String), webhook.public_keys[0]]);
    expect(Date.parse(replaced.previous_secret_until) - Date.now()).toBeCloseTo(86_400_000, -5);
    const at_once = { key, body: { previous_seconds: 0 } };
    const again = (await ask('POST', `${path}/replace_secret`, at_once)).json();
    expect([again.public_keys.length, again.previous_secret_until]).toEqual([1, null]);
  });

  test('is disabled by request, and then gets nothing until it is enabled', async () => {
    await using peer = await startReceiver();
    const { key, owner, webhook } = await newWebhook({ url: peer.url });
    const path = `/webhooks/${webhook.id}`;
    const happen = async () => {
      const data = { contacts: 1 };
      await exchange.engines.store.events.append([{ accountId: owner.accountId, type: 'contact.changed', data }]);
      await deliverEvents(exchange.engines, owner.accountId, webhook.id);
    };
    const first = await ask('POST', `${path}/disable`, { key });
    expect(first.json()).toMatchObject({ disabled_reason: 'owner' });
    const again = await ask('POST', `${path}/disable`, { key });
    expect([again.json(), again.headers['etag']]).toEqual([first.json(), first.headers['etag']]);
    const replay = await ask('POST', `${path}/replay`, { key, body: { since: '2020-01-01T00:00:00Z' } });
    expect([replay.status, replay.json().detail]).toEqual([400, 'The webhook is disabled. Enable it first.']);
    await happen();
    expect(peer.requests).toEqual([]);
    expect((await ask('POST', `${path}/enable`, { key })).json()).toEqual(webhook);
    await happen();
    expect(peer.requests).toHaveLength(1);
  });

  test('is enabled again', async () => {
    const { key, owner, webhook } = await newWebhook();
    await exchange.engines.store.webhooks.disable(owner.accountId, webhook.id, 'failing', randomUUID());
    const path = `/webhooks/${webhook.id}`;
    expect((await ask('GET', path, { key })).json()).toMatchObject({
      disabled_at: expect.any(String),
      disabled_reason: 'failing',
    });
    const enabled = await ask('POST', `${path}/enable`, { key });
    expect(enabled.json()).toEqual(webhook);
  });
});

describe('events', () => {
  test('can be tested, are logged page by page, and can be sent again', async () => {
    await using peer = await startReceiver();
    const { key, owner, secret, webhook } = await newWebhook({ url: peer.url });
    const path = `/webhooks/${webhook.id}`;
    const send = () => deliverEvents(exchange.engines, owner.accountId, webhook.id);
    const events: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      const sent = await ask('POST', `${path}/test`, { key });
      expect(sent.status).toBe(202);
      events.push(sent.json().event_id);
      await send();
    }
    const [request] = peer.requests;
    const verified = new Verifier(secret).verify(request?.body ?? '', request?.headers as Record<string, string>);
    expect(verified).toEqual({
      id: events[0],
      type: 'webhook.test',
      timestamp: expect.any(String),
      data: { webhook_id: webhook.id },
    });
    const first = (await ask('GET', `${path}/attempts?limit=2`, { key })).json();
    const second = (await ask('GET', `${path}/attempts?limit=2&cursor=${first.next_cursor}`, { key })).json();
    const logged = [...first.data, ...second.data];
    expect(logged.map(({ event_id }) => event_id)).toEqual(events.toReversed());
    expect(logged[0]).toMatchObject({ type: 'webhook.test', attempt: 1, status: 204, failure: null });
    expect(second.next_cursor).toBeNull();
    const replay = await ask('POST', `${path}/replay`, { key, body: { event_id: events[0] } });
    expect([replay.status, replay.json()]).toEqual([202, { event_count: 1 }]);
    await send();
    expect(peer.requests.map(({ headers }) => headers['webhook-id'])).toEqual([...events, events[0]]);
    const since = new Date(Date.now() - 3_600_000).toISOString();
    expect((await ask('POST', `${path}/replay`, { key, body: { since } })).json()).toEqual({ event_count: 3 });
    await send();
    expect(peer.requests).toHaveLength(7);
  });

  test('are sent again only if they were for this webhook', async () => {
    const { key, webhook } = await newWebhook();
    const replay = (body: object) => ask('POST', `/webhooks/${webhook.id}/replay`, { key, body });
    expect((await replay({ event_id: randomUUID() })).status).toBe(404);
    expect((await replay({})).status).toBe(400);
    expect((await replay({ event_id: randomUUID(), since: '2030-01-01T00:00:00Z' })).status).toBe(400);
  });

  test('of another webhook have another log', async () => {
    await using peer = await startReceiver();
    const { key, owner, webhook } = await newWebhook({ url: peer.url });
    const other = (await ask('POST', '/webhooks', { key, body: input })).json();
    for (let count = 0; count < 2; count += 1) await ask('POST', `/webhooks/${webhook.id}/test`, { key });
    await deliverEvents(exchange.engines, owner.accountId, webhook.id);
    expect((await ask('GET', `/webhooks/${other.id}/attempts`, { key })).json()).toEqual({
      data: [],
      next_cursor: null,
    });
    const { next_cursor: cursor } = (await ask('GET', `/webhooks/${webhook.id}/attempts?limit=1`, { key })).json();
    expect((await ask('GET', `/webhooks/${other.id}/attempts?cursor=${cursor}`, { key })).status).toBe(400);
  });
});

describe('the right to be sent events is the right to read them', () => {
  const restricted = async (key: string, ...some: Scope[]) => {
    const body = { name: 'x', scopes: ['webhooks', ...some] };
    return (await ask('POST', '/keys', { key, body })).json().api_key as string;
  };
  const create = (key: string, url: string, types: readonly string[] | null = null) =>
    ask('POST', '/webhooks', { key, body: { url, types } });

  test('a webhook is sent only events that the key that created it may read', async () => {
    const owner = await exchange.account();
    await using peer = await startReceiver();
    expect((await create(await restricted(owner.apiKey), peer.url)).status).toBe(403);
    const key = await restricted(owner.apiKey, 'contacts');
    expect((await create(key, peer.url, ['contact.changed', 'drop.created'])).status).toBe(403);
    expect((await create(key, peer.url, ['inbox.received'])).status).toBe(403);
    const webhook = (await create(key, peer.url)).json();
    expect(webhook.scopes).toEqual(['webhooks', 'contacts']);
    // A wider key does not widen it.
    const path = `/webhooks/${webhook.id}`;
    const widen = await ask('PATCH', path, { key: owner.apiKey, body: { types: ['drop.created'] } });
    expect(widen.status).toBe(403);
    expect((await ask('PATCH', path, { key: owner.apiKey, body: { types: null } })).status).toBe(200);
    await exchange.engines.store.events.append([
      { accountId: owner.accountId, type: 'drop.completed', data: { drop_id: randomUUID() } },
      { accountId: owner.accountId, type: 'inbox.received', data: { inbox_id: randomUUID() } },
      { accountId: owner.accountId, type: 'contact.changed', data: { contacts: 1 } },
    ]);
    await deliverEvents(exchange.engines, owner.accountId, webhook.id);
    expect(peer.requests.map(({ body }) => JSON.parse(body).type)).toEqual(['contact.changed']);
  });

  test('a key cannot change the URL of a webhook that is sent more than the key may read', async () => {
    const { key, webhook } = await newWebhook({ url: 'https://example.org/' });
    const narrow = await restricted(key, 'receive');
    const path = `/webhooks/${webhook.id}`;
    const status = async (method: Route['method'], end: string, body?: object) =>
      (await ask(method, `${path}${end}`, { key: narrow, ...(body ? { body } : {}) })).status;
    expect(await status('PATCH', '', { url: 'https://example.com/' })).toBe(403);
    // Removing the types of events that it may not read first does not help either.
    expect(await status('PATCH', '', { url: 'https://example.com/', types: ['inbox.received'] })).toBe(403);
    expect(await status('POST', '/replay', { since: '2020-01-01T00:00:00Z' })).toBe(403);
    expect(await status('POST', '/replace_secret', {})).toBe(403);
    expect(await status('POST', '/enable')).toBe(403);
    expect(await status('POST', '/disable')).toBe(403);
    expect(await status('GET', '/attempts')).toBe(403);
    expect(await status('DELETE', '')).toBe(403);
    expect((await ask('GET', path, { key })).json()).toEqual(webhook);
  });

  test('the database applies the same rule as the program', async () => {
    const subsets = Array.from({ length: 2 ** scopes.length }, (_, bits) =>
      scopes.filter((_scope, index) => bits & (2 ** index)),
    );
    for (const some of [null, ...subsets]) {
      const rows = await exchange.database.query<{ type: string }>(
        'select type from unnest($2::text[]) as type where may_be_sent($1, type)',
        [some, eventTypes],
      );
      expect(rows.map(({ type }) => type)).toEqual(eventTypes.filter((type) => mayRead(some, type)));
    }
  });
});

describe('a key that is revoked', () => {
  interface Made {
    readonly id: string;
    readonly api_key: string;
  }
  const newKey = async (by: string): Promise<Made> =>
    (await ask('POST', '/keys', { key: by, body: { name: 'x', scopes: ['keys', 'webhooks', 'history'] } })).json();
  const createWebhookFor = async (by: { readonly api_key: string }, url = input.url) =>
    (await ask('POST', '/webhooks', { key: by.api_key, body: { ...input, url } })).json() as { id: string };
  const happen = ({ accountId }: { accountId: string }, count: number) =>
    exchange.engines.store.events.append(
      Array.from(
        { length: count },
        () => ({ accountId, type: 'drop.created', data: { drop_id: randomUUID() } }) as const,
      ),
    );

  /** Creates a key, a key that it creates, a webhook of each, and one of the account's first key. */
  async function family() {
    const owner = await exchange.account();
    const parent = await newKey(owner.apiKey);
    const child = await newKey(parent.api_key);
    const [its, childs, others] = [
      await createWebhookFor(parent),
      await createWebhookFor(child),
      await createWebhookFor({ api_key: owner.apiKey }),
    ];
    const states = async () => {
      const { data } = (await ask('GET', '/webhooks', { key: owner.apiKey })).json();
      const readReason = ({ id }: { id: string }) =>
        data.find((webhook: { id: string }) => webhook.id === id).disabled_reason;
      return [its, childs, others].map(readReason);
    };
    const revoke = async (id: string, more = '') =>
      (await ask('DELETE', `/keys/${id}${more}`, { key: owner.apiKey })).json();
    return { owner, parent, child, its, childs, others, states, revoke };
  }

  test('leaves its webhooks, which say who created them, and the response says how many', async () => {
    const { owner, parent, child, its, childs, others, states, revoke } = await family();
    expect([its, childs, others]).toMatchObject([
      { created_by: parent.id },
      { created_by: child.id },
      { created_by: owner.key.id },
    ]);
    expect(await revoke(parent.id)).toEqual({ ids: [parent.id], webhooks_disabled: 0, webhooks_live: 1 });
    expect(await states()).toEqual([null, null, null]);
  });

  test('with its descendants disables their webhooks, also those of a key that was revoked before', async () => {
    const { owner, parent, child, childs, states, revoke } = await family();
    expect(await revoke(child.id)).toMatchObject({ webhooks_live: 1 });
    expect(await revoke(parent.id, '?descendants=true')).toEqual({
      ids: [parent.id],
      webhooks_disabled: 2,
      webhooks_live: 0,
    });
    expect(await states()).toEqual(['key_revoked', 'key_revoked', null]);
    const entries = await exchange.database.query(
      `select author_id, details from audit_entries where action = 'key.revoked' and details ->> 'keyId' = $1`,
      [parent.id],
    );
    const details = { keyId: parent.id, descendants: [], webhooksDisabled: expect.arrayContaining([childs.id]) };
    expect(entries).toEqual([{ author_id: owner.key.id, details }]);
    const enabled = await ask('POST', `/webhooks/${childs.id}/enable`, { key: owner.apiKey });
    expect(enabled.json()).toMatchObject({ disabled_at: null, disabled_reason: null });
  });

  test('by a command leaves or disables its webhooks, and the command says how many', async () => {
    const first = await family();
    const revoke = ['api-keys', 'revoke', '--email', first.owner.email, '--id'];
    expect(await runAdmin(exchange, ...revoke, first.child.id)).toBe(
      `${first.child.id} is revoked.\nWebhooks that it created and that stay active: 1\n`,
    );
    const whole = await runAdmin(exchange, ...revoke, first.parent.id, '--descendants', '--json');
    expect(JSON.parse(whole)).toMatchObject({ webhooks_disabled: 2, webhooks_live: 0 });
  });

  test('is sent no more events, even while a worker is sending', async () => {
    const { owner, parent, revoke } = await family();
    let isRevoked: Promise<unknown> | undefined;
    await using peer = await startReceiver((response) => {
      isRevoked ??= revoke(parent.id, '?descendants=true');
      void isRevoked.then(() => response.writeHead(204).end());
    });
    const webhook = await createWebhookFor(parent, peer.url);
    await happen(owner, 12);
    await deliverEvents(exchange.engines, owner.accountId, webhook.id);
    // Events that were already being sent.
    expect(peer.requests).toHaveLength(4);
  });

  test('creates no webhook by repeating an earlier request', async () => {
    const { owner, parent } = await family();
    const caller = await authenticateBearer(exchange.engines, parent.api_key, '192.0.2.7');
    await ask('DELETE', `/keys/${parent.id}`, { key: owner.apiKey });
    const creating = createWebhook(exchange.engines, caller, { ...input, types: null });
    await expect(creating).rejects.toMatchObject({ code: 'unauthorized' });
  });
});
