// A thousand streams of events, each on its own connection: their cost while nothing happens, and while something does.
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { EventStreamReader } from '../../../../test/event-stream.ts';
import { useTestExchange } from '../../../../test/exchange.ts';
import { buildTestServer } from '../../../../test/server.ts';

const clients = 1_000;
const accounts = 20;
const exchange = await useTestExchange();
const { store } = exchange.engines;

test('a thousand streams cost the queries of one, also when each gets an event', async () => {
  const owners: Awaited<ReturnType<typeof exchange.account>>[] = [];
  for (let count = 0; count < accounts; count += 1) owners.push(await exchange.account());
  const page = vi.fn(store.events.page);
  const server = buildTestServer(exchange, { store: { ...store, events: { ...store.events, page } } });
  await server.listen({ port: 0, host: '127.0.0.1' });
  const readers: EventStreamReader[] = [];
  onTestFinished(async () => {
    for (const reader of readers) reader.close();
    await server.close();
  });
  const open = async (client: number) => {
    const headers = { authorization: `Bearer ${owners[client % accounts]?.apiKey}` };
    readers.push(await EventStreamReader.open(server, '/api/v1/events/stream?cursor=end', headers));
  };
  await Promise.all(Array.from({ length: clients }, (_, client) => open(client)));
  expect(page).toHaveBeenCalledTimes(clients);

  const queries = vi.spyOn(exchange.database.pool, 'connect');
  const began = performance.now();
  await pause(2_000);
  const append = owners.map(({ accountId }) => ({
    accountId,
    type: 'contact.changed' as const,
    data: { contacts: 1 },
  }));
  await store.events.append(append);
  const countEvents = () => readers.filter(({ events }) => events.length === 1).length;
  // A transaction in any database of the server keeps new events from being seen until it ends.
  await expect.poll(countEvents, { timeout: 100_000 }).toBe(clients);
  const seconds = (performance.now() - began) / 1_000;
  // Of the process: four a second for events, two for keys, and the one that wrote the events.
  expect(queries.mock.calls.length).toBeGreaterThanOrEqual(2);
  expect(queries.mock.calls.length).toBeLessThanOrEqual(6 * seconds + 4);
  expect(page).toHaveBeenCalledTimes(clients);
  queries.mockRestore();
}, 180_000);
