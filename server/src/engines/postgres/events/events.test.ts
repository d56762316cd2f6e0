import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/database.ts';
import type { EventPage, EventPosition, NewEvent } from '../../../domain/events/event-store.ts';
import type { Store } from '../../../domain/store.ts';

let database: TestDatabase;
let store: Store;
beforeAll(async () => {
  database = await createTestDatabase();
  ({ store } = database);
});
afterAll(() => database[Symbol.asyncDispose]());

const event = (accountId: string, contacts: number): NewEvent => ({
  accountId,
  type: 'contact.changed',
  data: { contacts },
});

/** A transaction in any database of the server, such as another test's, keeps new events from being seen until it ends. */
const patience = { timeout: 100_000 };
vi.setConfig({ testTimeout: 120_000 });

/** A transaction that ends when it is told to. */
async function begin() {
  const begun = Promise.withResolvers<Store>();
  const end = Promise.withResolvers<void>();
  const ended = store.transaction(async (tx) => {
    begun.resolve(tx);
    await end.promise;
  });
  return {
    tx: await begun.promise,
    async commit() {
      end.resolve();
      await ended;
    },
    async rollBack() {
      end.reject(new Error('rolled back'));
      await expect(ended).rejects.toThrow('rolled back');
    },
  };
}

/** Reads on from where it stopped, and remembers everything. */
function reader(accountId: string) {
  const numbers: number[] = [];
  let after: EventPosition | undefined;
  return {
    numbers,
    async read(limit = 100): Promise<EventPage> {
      const page = await store.events.page(accountId, after, limit);
      expect(page.lost).toBe(false);
      after = page.next;
      numbers.push(...page.events.map(({ data }) => data['contacts'] as number));
      return page;
    },
  };
}

describe('events', () => {
  test('of a transaction that ends late are not missed, and none is before them', async () => {
    const accountId = randomUUID();
    const { numbers, read } = reader(accountId);
    const late = await begin();
    await late.tx.events.append([event(accountId, 1)]);
    await store.events.append([event(accountId, 2), event(accountId, 3)]);
    await read();
    await read();
    expect(numbers).toEqual([]);
    await late.commit();
    await expect.poll(async () => (await read(1)) && numbers, patience).toEqual([1, 2, 3]);
  });

  test('of a transaction that is rolled back never were, and hold no one up afterwards', async () => {
    const accountId = randomUUID();
    const { numbers, read } = reader(accountId);
    const never = await begin();
    await never.tx.events.append([event(accountId, 1)]);
    await store.events.append([event(accountId, 2)]);
    await read();
    expect(numbers).toEqual([]);
    await never.rollBack();
    await expect.poll(async () => (await read()) && numbers, patience).toEqual([2]);
  });

  test('belong to one account, and to all for who may read all', async () => {
    const [mine, others] = [randomUUID(), randomUUID()];
    const start = await store.events.end();
    await store.events.append([event(mine, 1), event(others, 2), event(mine, 3)]);
    const { numbers, read } = reader(mine);
    await expect.poll(async () => (await read()) && numbers, patience).toEqual([1, 3]);
    const { events } = await store.events.pageOfAll(start, 100);
    expect(events.map(({ accountId, data }) => [accountId, data])).toEqual([
      [mine, { contacts: 1 }],
      [others, { contacts: 2 }],
      [mine, { contacts: 3 }],
    ]);
  });

  test('are not skipped, repeated or reordered, however transactions end and readers read', async () => {
    const step = fc.record({
      slot: fc.nat(3),
      what: fc.constantFrom('append', 'append', 'commit', 'commit', 'rollBack', 'read', 'read'),
      size: fc.integer({ min: 1, max: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const accountId = randomUUID();
        const readers = Array.from({ length: 4 }, () => reader(accountId));
        const open = new Map<number, Awaited<ReturnType<typeof begin>> & { wrote: number[] }>();
        const committed: number[] = [];
        let written = 0;
        const end = async (slot: number, how: 'commit' | 'rollBack') => {
          const transaction = open.get(slot);
          open.delete(slot);
          await transaction?.[how]();
          if (how === 'commit') committed.push(...(transaction?.wrote ?? []));
        };
        for (const { slot, what, size } of steps) {
          if (what === 'read') await readers[slot]?.read(size);
          else if (what === 'append') {
            const transaction = open.get(slot) ?? { ...(await begin()), wrote: [] };
            open.set(slot, transaction);
            const numbers = Array.from({ length: size }, () => (written += 1));
            await transaction.tx.events.append(numbers.map((number) => event(accountId, number)));
            transaction.wrote.push(...numbers);
          } else await end(slot, what);
        }
        for (const slot of open.keys()) await end(slot, 'commit');
        const all = reader(accountId);
        for (const each of [all, ...readers]) {
          await expect
            .poll(async () => (await each.read(3)) && each.numbers.length, { ...patience, interval: 1 })
            .toBe(committed.length);
          expect(each.numbers).toEqual(all.numbers);
        }
        expect(all.numbers.toSorted((a, b) => a - b)).toEqual(committed.toSorted((a, b) => a - b));
      }),
      { numRuns: 40, interruptAfterTimeLimit: 60_000 },
    );
  });
});

describe('a reader', () => {
  /** This many events, all of which can be read. */
  async function written(count: number) {
    const accountId = randomUUID();
    await store.events.append(Array.from({ length: count }, (_, number) => event(accountId, number)));
    await expect
      .poll(async () => (await store.events.page(accountId, undefined, 100)).events.length, patience)
      .toBe(count);
    return { accountId, page: await store.events.page(accountId, undefined, count - 1) };
  }
  const age = (accountId: string, days: number) =>
    database.query('update events set created_at = now() - make_interval(days => $2) where account_id = $1', [
      accountId,
      days,
    ]);
  const purgeOld = async () => {
    while ((await store.events.purge(30 * 86_400, 1000)) === 1000);
  };

  test('that is behind what was purged is told so, others are not', async () => {
    const { accountId, page } = await written(3);
    const { next: end } = await store.events.page(accountId, page.next, 100);
    const fresh = await written(2);
    await age(accountId, 31);
    await purgeOld();
    expect((await store.events.page(accountId, page.next, 100)).lost).toBe(true);
    expect(await store.events.page(accountId, end, 100)).toMatchObject({ events: [], lost: false });
    expect(await store.events.page(accountId, undefined, 100)).toMatchObject({ events: [], lost: false });
    expect((await store.events.page(fresh.accountId, fresh.page.next, 100)).events).toHaveLength(1);
  });

  test('of a quiet account keeps up with what others write and is purged', async () => {
    const quiet = randomUUID();
    const { accountId } = await written(2);
    const { next } = await store.events.page(quiet, undefined, 100);
    await age(accountId, 31);
    await purgeOld();
    expect(await store.events.page(quiet, next, 100)).toMatchObject({ events: [], lost: false });
  });

  test('with a position that this database has never had is told so', async () => {
    const { accountId, page } = await written(2);
    const ahead = { ...page.next, transactionId: `${BigInt(page.next.transactionId) + 10n ** 12n}` };
    expect((await store.events.page(accountId, ahead, 100)).lost).toBe(true);
    expect((await store.events.page(accountId, { ...page.next, epoch: 10 ** 12 }, 100)).lost).toBe(true);
  });

  test('goes on in a restored database, where transaction ids begin again', async () => {
    await using restored = await createTestDatabase();
    const { events } = restored.store;
    const accountId = randomUUID();
    await events.append([event(accountId, 1)]);
    await restored.query("update events set transaction_id = '1000000000000'");
    await restored.query('update event_log set epoch = epoch + 1');
    const before = await events.page(accountId, undefined, 100);
    await events.append([event(accountId, 2)]);
    await expect
      .poll(async () => (await events.page(accountId, before.next, 100)).events.map(({ data }) => data), patience)
      .toEqual([{ contacts: 2 }]);
    const all = await events.page(accountId, undefined, 100);
    expect(all.events.map(({ data }) => data)).toEqual([{ contacts: 1 }, { contacts: 2 }]);
  });
});
