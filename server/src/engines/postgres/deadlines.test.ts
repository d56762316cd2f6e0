import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startFreezable } from '../../../../tools/shared/tcp.ts';
import { createTestDatabase, openTestPool, type TestDatabase } from '../../../test/database.ts';
import type { Store } from '../../domain/store.ts';
import { credentialLimits } from './accounts/accounts.ts';
import { closePool, type Deadlines, openDatabase, requestDeadlines, settingMs } from './database.ts';
import { migrate } from './migrate.ts';
import { postgresStore } from './store.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database[Symbol.asyncDispose]());

const quick: Deadlines = { connectMs: 300, statementMs: 0, responseMs: 600 };
const unavailable = { code: 'unavailable' };

/** A store whose connection to PostgreSQL the test can freeze. */
async function freezableStore(deadlines = quick) {
  const url = new URL(database.url);
  const way = await startFreezable(Number(url.port));
  url.port = String(way.port);
  const pool = openTestPool(url.href, deadlines);
  return {
    way,
    pool,
    store: postgresStore(openDatabase(pool)),
    async [Symbol.asyncDispose]() {
      await way[Symbol.asyncDispose]();
      await pool.end();
    },
  };
}

async function timed(call: Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await expect(call).rejects.toMatchObject(unavailable);
  return performance.now() - begin;
}

const read = (store: Store) => store.accounts.byEmail('a@example.org');

describe('a PostgreSQL that is frozen', () => {
  test('is unavailable by the deadline, in and outside a transaction, and works again once it responds', async () => {
    await using frozen = await freezableStore();
    const { store, way } = frozen;
    await Promise.all([read(store), read(store), read(store)]);
    way.freeze();
    const insert = (tx: Store) =>
      tx.accounts.insert({ id: randomUUID(), email: 'lost@example.org', phone: '', type: 'api', language: '' });
    const waits = await Promise.all([timed(read(store)), timed(store.transaction(insert))]);
    // Rolling back does not wait for another deadline.
    for (const wait of waits) expect(wait).toBeLessThan(quick.connectMs + quick.responseMs + 500);
    way.thaw();
    expect(await read(store)).toBeUndefined();
    expect(await store.accounts.byEmail('lost@example.org')).toBeUndefined();
  });

  test('is asked again on a new connection, not on the one that did not respond', async () => {
    await using frozen = await freezableStore();
    await read(frozen.store);
    frozen.way.freeze();
    await timed(read(frozen.store));
    await expect.poll(() => frozen.pool.totalCount).toBe(0);
    frozen.way.thaw();
    expect(await read(frozen.store)).toBeUndefined();
  });

  test('refuses a caller when as many wait for a connection as can be served', async () => {
    await using frozen = await freezableStore({ ...quick, connectMs: 5_000, responseMs: 1_000 });
    const { store, pool, way } = frozen;
    await read(store);
    way.freeze();
    const waiting = Array.from({ length: pool.options.max * 201 }, () => timed(read(store)));
    await expect.poll(() => timed(read(store)), { timeout: 900 }).toBeLessThan(500);
    await way[Symbol.asyncDispose]();
    await Promise.all(waiting);
  });

  test('lets every request get its response within twelve seconds, by the deadlines for requests', () => {
    const { connectMs, responseMs } = requestDeadlines;
    expect(credentialLimits.waitMs + connectMs + settingMs + responseMs).toBeLessThan(12_000);
    // A failed call, followed by an attempt to clean up.
    expect(connectMs + responseMs + connectMs).toBeLessThan(12_000);
  });
});

test('a statement that is slow is cancelled by the server, and its connection is used again', async () => {
  const pool = openTestPool(database.url, { connectMs: 1_000, statementMs: 200, responseMs: 5_000 });
  const client = await pool.connect();
  await expect(client.query('select pg_sleep(5)')).rejects.toMatchObject({ code: '57014' });
  expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  client.release();
  await pool.end();
});

test('a migration waits for another one beyond any deadline', async () => {
  const other = await database.pool.connect();
  await other.query('select pg_advisory_lock(7295113)');
  const pool = openTestPool(database.url, { connectMs: 1_000, statementMs: 0, responseMs: 0 });
  const migrating = migrate(pool);
  const asked = new Set<number>();
  const ask = async () => {
    const asking = await database.query<{ at: number }>(
      `select extract(epoch from query_start)::float8 as at from pg_stat_activity
       where datname = current_database() and query like 'select pg_try_advisory_lock%'`,
    );
    for (const { at } of asking) asked.add(at);
    return asked.size;
  };
  // It asks repeatedly.
  await expect.poll(ask, { timeout: 10_000 }).toBeGreaterThan(3);
  await other.query('select pg_advisory_unlock(7295113)');
  other.release();
  expect(await migrating).toEqual([]);
  await pool.end();
});

test('a pool closes although a connection is never given back', async () => {
  const pool = openTestPool(database.url, quick);
  const kept = await pool.connect();
  expect(await closePool(pool, 50)).toBe(1);
  kept.release(true);
});

test('a pool closes as soon as its last connection is given back', async () => {
  const pool = openTestPool(database.url, quick);
  const kept = await pool.connect();
  const closing = closePool(pool, 30_000);
  kept.release();
  expect(await closing).toBe(0);
});
