import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database[Symbol.asyncDispose]());

const aborted = (signal: AbortSignal) =>
  new Promise<string>((resolve) => signal.addEventListener('abort', () => resolve('lost')));

test('work of one name is done by one at a time, of another name beside it', async () => {
  const { store } = database;
  const inner = await store.exclusively('a', async () => [
    await store.exclusively('a', async () => 'a'),
    await store.exclusively('b', async () => 'b'),
  ]);
  expect(inner).toEqual([undefined, 'b']);
  expect(await store.exclusively('a', async () => 'a again')).toBe('a again');
});

test('work that fails lets the next one begin', async () => {
  const { store } = database;
  const failing = store.exclusively('a', async () => {
    throw new Error('failed');
  });
  await expect(failing).rejects.toThrow('failed');
  expect(await store.exclusively('a', async () => 'done')).toBe('done');
});

test('work is told when its connection is lost, and others may begin', async () => {
  const { store, query } = database;
  const lost = store.exclusively('a', async (signal) => {
    await query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and state = 'idle in transaction'`,
    );
    expect(await store.exclusively('a', async () => 'another')).toBe('another');
    expect(await aborted(signal)).toBe('lost');
    return 'done';
  });
  await expect(lost).rejects.toMatchObject({ code: 'unavailable' });
});
