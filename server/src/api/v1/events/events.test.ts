import { setTimeout as pause } from 'node:timers/promises';
import { limits } from '@waybill/protocol';
import type { FastifyInstance } from 'fastify';
import { describe, expect, test, vi } from 'vitest';
import { requestV1 } from '../../../../test/request-v1.ts';
import { buildTestServer } from '../../../../test/server.ts';
import { useTestServer } from '../../../../test/use-test-server.ts';
import { authenticateBearer } from '../../../domain/accounts/authenticate.ts';
import { createRestrictedKey, revokeKey } from '../../../domain/accounts/change-keys.ts';
import type { Actor } from '../../../domain/actor.ts';
import type { EventStore, NewEvent } from '../../../domain/events/event-store.ts';
import { ExchangeError } from '../../../domain/exchange-error.ts';
import { sweep } from '../../../domain/sweep.ts';

const { exchange, app } = await useTestServer();

/** A transaction in any database of the server, such as another test's, keeps new events from being seen until it ends. */
const patience = { timeout: 100_000 };
vi.setConfig({ testTimeout: 120_000 });

type Owner = Actor & { apiKey: string };
interface Page {
  readonly data: { readonly type: string; readonly data: { readonly contacts: number } }[];
  readonly next_cursor: string;
}

const changed = ({ accountId }: Actor, contacts: number): NewEvent => ({
  accountId,
  type: 'contact.changed',
  data: { contacts },
});
const happen = (owner: Actor, ...numbers: number[]) =>
  exchange.engines.store.events.append(numbers.map((number) => changed(owner, number)));
const read = async ({ apiKey }: Owner, query: Record<string, string | number> = {}, server = app) => {
  const search = Object.entries(query).map(([name, value]) => `${name}=${value}`);
  const response = await requestV1(server, 'GET', `/events?${search.join('&')}`, { key: apiKey });
  return { ...response, page: () => response.json() as Page };
};
/** Waits for events as clients do, with one request after the other. */
async function hear(owner: Owner, after: string, server: FastifyInstance): Promise<number[]> {
  const page = (await read(owner, { cursor: after, wait: limits.eventWaitSeconds }, server)).page();
  return page.data.length > 0 ? numbersIn(page) : hear(owner, page.next_cursor, server);
}
const numbersIn = ({ data }: Page) => data.map((event) => event.data.contacts);
/** Starts a server that counts its queries for new events. */
function watchedServer(change: Partial<EventStore> = {}) {
  const { store } = exchange.engines;
  const pageOfAll = vi.fn(change.pageOfAll ?? store.events.pageOfAll);
  const page = vi.fn(store.events.page);
  const server = buildTestServer(exchange, {
    store: { ...store, events: { ...store.events, pageOfAll, page } },
  });
  return { server, look: pageOfAll, page };
}

describe('events', () => {
  test('are read page by page, in order, and the last cursor continues with later events', async () => {
    const owner = await exchange.account();
    await happen(owner, 1, 2, 3);
    await expect.poll(async () => numbersIn((await read(owner)).page()), patience).toEqual([1, 2, 3]);
    const first = (await read(owner, { limit: 2 })).page();
    expect(numbersIn(first)).toEqual([1, 2]);
    const second = (await read(owner, { limit: 2, cursor: first.next_cursor })).page();
    expect(numbersIn(second)).toEqual([3]);
    const third = (await read(owner, { cursor: second.next_cursor })).page();
    expect(numbersIn(third)).toEqual([]);
    await happen(owner, 4);
    for (const { next_cursor: after } of [second, third]) {
      await expect.poll(async () => numbersIn((await read(owner, { cursor: after })).page()), patience).toEqual([4]);
    }
  });

  test('read from the end are only those that happen later', async () => {
    const owner = await exchange.account();
    await happen(owner, 1);
    await expect.poll(async () => numbersIn((await read(owner)).page()), patience).toEqual([1]);
    const { next_cursor: after, data } = (await read(owner, { cursor: 'end' })).page();
    expect(data).toEqual([]);
    await happen(owner, 2);
    await expect.poll(async () => numbersIn((await read(owner, { cursor: after })).page()), patience).toEqual([2]);
  });

  test('of another account are not shown, and its cursor is refused', async () => {
    const [owner, other] = [await exchange.account(), await exchange.account()];
    await happen(other, 1);
    await expect.poll(async () => numbersIn((await read(other)).page()), patience).toEqual([1]);
    expect((await read(owner)).page().data).toEqual([]);
    const { next_cursor: after } = (await read(other)).page();
    const refused = await read(owner, { cursor: after });
    expect([refused.status, refused.json().code, refused.json().errors[0].parameter]).toEqual([
      400,
      'invalid_input',
      'cursor',
    ]);
  });

  test.each([{ wait: 31 }, { wait: -1 }, { wait: '1.5' }, { limit: 0 }, { limit: 101 }, { since: 1 }, { cursor: '*' }])(
    'cannot be read with %o',
    async (query) => {
      const response = await read(await exchange.account(), query);
      expect([response.status, response.json().code]).toEqual([400, 'invalid_input']);
    },
  );

  test('that were purged end an old cursor, instead of being skipped', async () => {
    const owner = await exchange.account();
    await happen(owner, 1, 2);
    await expect.poll(async () => numbersIn((await read(owner)).page()), patience).toEqual([1, 2]);
    const { next_cursor: after } = (await read(owner, { limit: 1 })).page();
    await exchange.database.query("update events set created_at = now() - interval '30 days 1 minute'");
    await sweep(exchange.engines);
    const response = await read(owner, { cursor: after });
    expect([response.status, response.json().code]).toEqual([410, 'cursor_expired']);
    const again = (await read(owner)).page();
    expect(again.data).toEqual([]);
    expect((await read(owner, { cursor: again.next_cursor })).status).toBe(200);
  });
});

describe('a request that waits', () => {
  test('returns as soon as its account has an event', async () => {
    const [owner, other] = [await exchange.account(), await exchange.account()];
    const { server, look } = watchedServer();
    const { next_cursor: after } = (await read(owner)).page();
    const waiting = hear(owner, after, server);
    await expect.poll(() => look.mock.calls.length, patience).toBeGreaterThan(0);
    await happen(other, 1);
    await happen(owner, 2);
    expect(await waiting).toEqual([2]);
    await server.close();
  });

  test('returns events that became visible before a query, and those that became visible after it', async () => {
    const owner = await exchange.account();
    const { server, look } = watchedServer();
    const { next_cursor: after } = (await read(owner)).page();
    const [appended, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const late = exchange.engines.store.transaction(async (tx) => {
      await tx.events.append([changed(owner, 1)]);
      appended.resolve();
      await goOn.promise;
    });
    await appended.promise;
    await happen(owner, 2);
    const waiting = hear(owner, after, server);
    // A query finds nothing yet, because an earlier transaction is still open.
    await expect.poll(() => look.mock.calls.length, patience).toBeGreaterThan(1);
    goOn.resolve();
    await late;
    expect(await waiting).toEqual([1, 2]);
    await server.close();
  });

  test('returns no events and a cursor when its time is up', async () => {
    const owner = await exchange.account();
    const { data, next_cursor: after } = (await read(owner, { wait: 1 })).page();
    expect(data).toEqual([]);
    await happen(owner, 1);
    await expect.poll(async () => numbersIn((await read(owner, { cursor: after })).page()), patience).toEqual([1]);
  });

  test('returns no events when its time is up, even if the database is unavailable', async () => {
    const owner = await exchange.account();
    const { server, look } = watchedServer({
      pageOfAll: () => Promise.reject(new ExchangeError('unavailable')),
    });
    expect((await read(owner, { wait: 1 }, server)).page().data).toEqual([]);
    expect(look).toHaveBeenCalled();
    await server.close();
  });

  test('returns at once when the server stops', async () => {
    const owner = await exchange.account();
    const { server, look } = watchedServer();
    const waiting = read(owner, { wait: limits.eventWaitSeconds }, server);
    await expect.poll(() => look.mock.calls.length, patience).toBeGreaterThan(0);
    const begin = performance.now();
    await server.close();
    expect((await waiting).page().data).toEqual([]);
    expect(performance.now() - begin).toBeLessThan(5_000);
  });

  test('is refused when its key was revoked while it waited', async () => {
    const owner = await exchange.account();
    const caller = await authenticateBearer(exchange.engines, owner.apiKey, '192.0.2.7');
    const { key, apiKey } = await createRestrictedKey(exchange.engines, caller, {
      name: 'reader',
      scopes: ['history'],
      networks: null,
      expiresAt: null,
    });
    const { server, look } = watchedServer();
    const waiting = read({ ...owner, apiKey }, { wait: limits.eventWaitSeconds }, server);
    await expect.poll(() => look.mock.calls.length, patience).toBeGreaterThan(0);
    await revokeKey(
      exchange.engines,
      { id: owner.accountId, email: owner.email },
      { keyId: key.id },
      exchange.engines.administrator,
    );
    await happen(owner, 1);
    expect((await waiting).status).toBe(401);
    await server.close();
  });

  test.each([
    ['for events', '/events?wait=30', undefined],
    ['for an entry of the inbox', '/inbox/claim', { wait: 30 }],
  ])('is refused when its key was revoked while it waited %s and nothing happened', async (_name, path, body) => {
    const owner = await exchange.account();
    const caller = await authenticateBearer(exchange.engines, owner.apiKey, '192.0.2.7');
    const { key, apiKey } = await createRestrictedKey(exchange.engines, caller, {
      name: 'reader',
      scopes: ['history', 'receive'],
      networks: null,
      expiresAt: null,
    });
    // The check of running requests sees the revocation too late.
    const { store } = exchange.engines;
    const accounts = { ...store.accounts, unusableKeys: async () => new Set<string>() };
    const look = vi.fn(store.events.pageOfAll);
    const server = buildTestServer(exchange, {
      store: { ...store, accounts, events: { ...store.events, pageOfAll: look } },
    });
    const waiting = requestV1(server, body ? 'POST' : 'GET', path, { key: apiKey, ...(body && { body }) });
    await expect.poll(() => look.mock.calls.length, patience).toBeGreaterThan(0);
    await revokeKey(
      exchange.engines,
      { id: owner.accountId, email: owner.email },
      { keyId: key.id },
      exchange.engines.administrator,
    );
    // Ends the wait, as its time would.
    await server.close();
    expect((await waiting).status).toBe(401);
  });

  test('is discarded when its client disconnects', async () => {
    const owner = await exchange.account();
    const { server, look } = watchedServer();
    const address = await server.listen({ port: 0, host: '127.0.0.1' });
    const gone = new AbortController();
    const request = fetch(`${address}/api/v1/events?wait=${limits.eventWaitSeconds}`, {
      headers: { authorization: `Bearer ${owner.apiKey}` },
      signal: gone.signal,
    });
    await expect.poll(() => look.mock.calls.length, patience).toBeGreaterThan(0);
    gone.abort();
    await expect(request).rejects.toThrow();
    // No one waits any more, so there are no more queries.
    const looksPerSecond = async () => {
      const before = look.mock.calls.length;
      await pause(1_000);
      return look.mock.calls.length - before;
    };
    await expect.poll(looksPerSecond, patience).toBe(0);
    await server.close();
  });
});
