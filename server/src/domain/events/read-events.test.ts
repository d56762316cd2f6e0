import { randomUUID } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { useTestExchange } from '../../../test/exchange.ts';
import type { EventPosition } from './event-store.ts';
import { comparePositions } from './event-store.ts';
import { EventWatch } from './event-watch.ts';
import { readEvents } from './read-events.ts';

const exchange = await useTestExchange();
const { query } = exchange.database;
/** More than a watch reads at once. */
const many = 600;

const writeEvents = (accountId: string, count: number) =>
  query(
    `insert into events (account_id, epoch, type, data)
     select $1, epoch, 'contact.changed', '{"contacts":1}' from event_log, generate_series(1, $2::integer)`,
    [accountId, count],
  );

test('a cursor never moves backwards when many events become visible at once', async () => {
  const [accountId, otherId] = [randomUUID(), randomUUID()];
  const { events } = exchange.engines.store;
  const looks: ReturnType<typeof Promise.withResolvers<void>>[] = [];
  const pageOfAll: typeof events.pageOfAll = async (...page) => {
    const look = Promise.withResolvers<void>();
    looks.push(look);
    await look.promise;
    return events.pageOfAll(...page);
  };
  const store = { ...exchange.engines.store, events: { ...events, pageOfAll } };
  const eventWatch = new EventWatch({ store });
  const caller = { gone: new AbortController().signal, mayStillRead: async () => undefined };
  const read = (id: string, after: EventPosition | 'end', waitSeconds = 0) =>
    readEvents({ store, eventWatch }, id, { after, limit: 100, waitSeconds }, caller);

  // One client waits, so the watch has a position, and its next look is held.
  const first = read(otherId, 'end', 60);
  await vi.waitFor(() => expect(looks).toHaveLength(1));
  const beginning = await events.end();
  await writeEvents(accountId, many);
  await vi.waitFor(async () => expect((await read(accountId, beginning)).events).not.toHaveLength(0));
  const position = await events.end();
  // Another client has read all of them and waits for more, ahead of the watch.
  const wait = vi.spyOn(eventWatch, 'wait');
  const second = read(accountId, position, 60);
  await vi.waitFor(() => expect(wait).toHaveBeenCalledOnce());
  looks[0]?.resolve();
  await vi.waitFor(() => expect(looks).toHaveLength(2));
  looks[1]?.resolve();
  await vi.waitFor(() => expect(looks).toHaveLength(3));
  await writeEvents(accountId, 1);
  await writeEvents(otherId, 1);
  const going = setInterval(() => {
    for (const look of looks) look.resolve();
  }, 10);
  try {
    const page = await second;
    expect(page.events).toHaveLength(1);
    expect(comparePositions(page.next, position)).toBeGreaterThan(0);
    expect((await first).events).toHaveLength(1);
  } finally {
    clearInterval(going);
    eventWatch.stop();
  }
});
