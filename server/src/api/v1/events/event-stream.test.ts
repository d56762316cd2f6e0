import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { EventStreamReader } from '../../../../test/event-stream.ts';
import { useTestExchange } from '../../../../test/exchange.ts';
import { buildTestServer } from '../../../../test/server.ts';
import { authenticateBearer } from '../../../domain/accounts/authenticate.ts';
import { createRestrictedKey, revokeKey } from '../../../domain/accounts/change-keys.ts';
import type { Actor } from '../../../domain/actor.ts';
import { sweep } from '../../../domain/sweep.ts';

const exchange = await useTestExchange();
const { engines } = exchange;
const servers = [await listeningServer(), await listeningServer()] as const;
const [server] = servers;
afterAll(() => Promise.all(servers.map((each) => each.close())));
const readers: EventStreamReader[] = [];
afterEach(() => {
  for (const reader of readers.splice(0)) reader.close();
});

/** A transaction in any database of the server, such as another test's, keeps new events from being seen until it ends. */
const patience = { timeout: 100_000 };
vi.setConfig({ testTimeout: 120_000 });

async function listeningServer() {
  const app = buildTestServer(exchange);
  await app.listen({ port: 0, host: '127.0.0.1' });
  return app;
}

type Owner = Actor & { apiKey: string };
const happen = ({ accountId }: Actor, ...numbers: number[]) =>
  engines.store.events.append(
    numbers.map((contacts) => ({ accountId, type: 'contact.changed' as const, data: { contacts } })),
  );
async function open({ apiKey }: Owner, query = '', headers: Record<string, string> = {}, app = server) {
  const authorization = `Bearer ${apiKey}`;
  const reader = await EventStreamReader.open(app, `/api/v1/events/stream${query}`, { authorization, ...headers });
  readers.push(reader);
  return reader;
}
const numbersIn = ({ events }: EventStreamReader) =>
  events.map(({ data }) => (data as { data: { contacts: number } }).data.contacts);

describe('a stream of events', () => {
  test('has the events that have happened, and then those that happen, as in the list', async () => {
    const [owner, other] = [await exchange.account(), await exchange.account()];
    await happen(owner, 1, 2);
    const reader = await open(owner);
    await happen(other, 7);
    await happen(owner, 3);
    await expect.poll(() => numbersIn(reader), patience).toEqual([1, 2, 3]);
    expect(reader.response.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    });
    const headers = { authorization: `Bearer ${owner.apiKey}`, host: 'files.example.org' };
    const list = await server.inject({ url: '/api/v1/events', headers });
    expect(reader.events.map(({ data }) => data)).toEqual(list.json().data);
    expect(new Set(reader.events.map(({ type }) => type))).toEqual(new Set(['contact.changed']));
  });

  test('is continued after the last event that arrived, on any process', async () => {
    const owner = await exchange.account();
    await happen(owner, 1, 2, 3);
    const first = await open(owner);
    await expect.poll(() => numbersIn(first), patience).toEqual([1, 2, 3]);
    const lastId = first.events[1]?.id ?? '';
    const again = await open(owner, '?cursor=end', { 'last-event-id': lastId }, servers[1]);
    const after = await open(owner, `?cursor=${lastId}`);
    await happen(owner, 4);
    for (const reader of [again, after]) await expect.poll(() => numbersIn(reader), patience).toEqual([3, 4]);
  });

  test('from the end has an id before its first event, so that none is missed in between', async () => {
    const owner = await exchange.account();
    await happen(owner, 1);
    const all = await open(owner);
    await expect.poll(() => numbersIn(all), patience).toEqual([1]);
    const first = await open(owner, '?cursor=end');
    await expect.poll(() => first.lastId).not.toBe('');
    first.close();
    await happen(owner, 2);
    const second = await open(owner, '?cursor=end', { 'last-event-id': first.lastId });
    await expect.poll(() => numbersIn(second), patience).toEqual([2]);
  });

  test.each(['*', 'A'.repeat(40)])('is refused with the cursor %s', async (after) => {
    expect((await open(await exchange.account(), `?cursor=${after}`)).response.statusCode).toBe(400);
    const reader = await open(await exchange.account(), '', { 'last-event-id': after });
    expect(reader.response.statusCode).toBe(400);
  });

  test('is refused with the cursor of another account, and with one whose events were purged', async () => {
    const [owner, other] = [await exchange.account(), await exchange.account()];
    await happen(owner, 1, 2);
    const reader = await open(owner);
    await expect.poll(() => numbersIn(reader), patience).toEqual([1, 2]);
    const headers = { 'last-event-id': reader.events[0]?.id ?? '' };
    expect((await open(other, '', headers)).response.statusCode).toBe(400);
    await exchange.database.query("update events set created_at = now() - interval '30 days 1 minute'");
    await sweep(engines);
    expect((await open(owner, '', headers)).response.statusCode).toBe(410);
  });

  test('needs the right to read events', async () => {
    const owner = await exchange.account();
    const caller = await authenticateBearer(engines, owner.apiKey, '192.0.2.7');
    const rights = { name: 'sender', scopes: ['send' as const], networks: null, expiresAt: null };
    const { apiKey } = await createRestrictedKey(engines, caller, rights);
    expect((await open({ ...owner, apiKey })).response.statusCode).toBe(403);
  });

  test('ends on every process when its key is revoked, and those of others continue', async () => {
    const [owner, other] = [await exchange.account(), await exchange.account()];
    const readersOfOwner = await Promise.all(servers.map((each) => open(owner, '', {}, each)));
    const untouched = await open(other);
    const account = { id: owner.accountId, email: owner.email };
    const [key] = await engines.store.accounts.keys(owner.accountId);
    await revokeKey(engines, account, { keyId: key?.id ?? '' }, engines.administrator);
    await expect.poll(() => readersOfOwner.every(({ isOver }) => isOver), { timeout: 10_000 }).toBe(true);
    expect(untouched.isOver).toBe(false);
  });

  test('ends as a whole when the server stops, so that its client continues elsewhere', async () => {
    const owner = await exchange.account();
    const stopping = await listeningServer();
    const reader = await open(owner, '', {}, stopping);
    await stopping.close();
    await expect.poll(() => reader.isOver).toBe(true);
    expect(reader.endedWell).toBe(true);
  });
});
