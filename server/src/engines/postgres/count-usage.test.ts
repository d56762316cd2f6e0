// What accounts stored before usage was counted is added up after the upgrade, while everything goes on.
import { randomUUID } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { countUsage } from '../../domain/accounts/count-usage.ts';
import { policyOf } from '../../domain/accounts/policy-of.ts';
import type { Store } from '../../domain/store.ts';
import { createEmptyDatabase, openTestPool } from '../../testing/database.ts';
import { testPolicy } from '../../testing/exchange.ts';
import { openDatabase } from './database.ts';
import { migrate } from './migrate.ts';
import { postgresStore } from './store.ts';

const folder = fileURLToPath(new URL('../../../migrations/', import.meta.url));
const [large, small] = [randomUUID(), randomUUID()].toSorted() as [string, string];
/** Migrated from a schema that did not count, with two accounts that had files. Each test has a copy of it. */
let upgraded: Awaited<ReturnType<typeof createEmptyDatabase>>;
let database: Awaited<ReturnType<typeof createEmptyDatabase>>;
let pool: pg.Pool;
let store: Store;

beforeAll(async () => {
  upgraded = await createEmptyDatabase();
  const first = openTestPool(upgraded.url);
  const before = mkdtempSync(join(tmpdir(), 'waybill-migrations-'));
  cpSync(folder, before, { recursive: true, filter: (path) => path === folder || basename(path) < '0023' });
  await migrate(first, pathToFileURL(`${before}/`));
  rmSync(before, { recursive: true });
  for (const id of [large, small]) {
    await first.query("insert into accounts (id, email, number, type) values ($1::uuid, $1::text, '1', 'api')", [id]);
  }
  await addFile(first, large, 'old', 700);
  await addFile(first, large, 'older', 50);
  await addFile(first, small, 'old', 10);
  await migrate(first);
  await first.end();
});
beforeEach(async () => {
  database = await createEmptyDatabase(new URL(upgraded.url).pathname.slice(1));
  pool = openTestPool(database.url);
  store = postgresStore(openDatabase(pool));
});
afterEach(async () => {
  await pool.end();
  await database[Symbol.asyncDispose]();
});
afterAll(() => upgraded[Symbol.asyncDispose]());

/** As any version does at the end of an upload. */
async function addFile(on: pg.Pool | pg.PoolClient, accountId: string, name: string, bytes: number): Promise<void> {
  await on.query(
    `insert into files (account_id, id, state, draft, name, media_type, size_bytes, sha256, scan,
       chunk_count, wrapped_key, key_version)
     values ($1, $2, 'ready', '', $3, 'text/plain', $4, '', 'clean', 1, '', 1)`,
    [accountId, randomUUID(), name, bytes],
  );
}

const removeFile = (accountId: string, name: string) =>
  pool.query(
    "update files set state = 'deleting', wrapped_key = null, lease_until = now() where account_id = $1 and name = $2",
    [accountId, name],
  );

const stored = async (accountId: string) => (await store.quotas.usage(accountId)).storedBytes;

const waitingFor = (relation: string) =>
  expect.poll(
    async () => {
      const { rowCount } = await pool.query(
        `select from pg_locks join pg_stat_activity as waiting using (pid)
         where not granted and waiting.datname = current_database() and query like '%' || $1 || '%'`,
        [relation],
      );
      return rowCount;
    },
    { timeout: 10_000 },
  );

test('the migration adds nothing up; counting afterwards includes what has changed since', async () => {
  expect(await stored(large)).toBeNull();
  await addFile(pool, large, 'new', 1000);
  await removeFile(large, 'older');
  await removeFile(small, 'old');
  expect(await stored(large), 'what has changed is not what is stored').toBeNull();
  expect(await countUsage({ store })).toBe(2);
  expect(await stored(large)).toBe(1700);
  expect(await stored(small)).toBe(0);
  expect(await countUsage({ store }), 'each account once').toBe(0);
});

test('while an account is being added up, uploads go on, its own too', async () => {
  const blocking = await pool.connect();
  await blocking.query('begin; lock table uploads in access exclusive mode');
  const counting = countUsage({ store });
  await waitingFor('from uploads').toBe(1);
  await addFile(pool, large, 'new', 1000);
  await addFile(pool, small, 'new', 1000);
  await blocking.query('commit');
  blocking.release();
  expect(await counting).toBe(2);
  expect(await stored(large)).toBe(1750);
  expect(await stored(small)).toBe(1010);
});

test.for([1, 2])(
  'what is committed after %i processes added up, and before they record the sum, is counted once',
  async (processes) => {
    const upload = await pool.connect();
    await upload.query('begin; set constraints all immediate');
    await addFile(upload, large, 'new', 1000);
    const counting = Promise.all(Array.from({ length: processes }, () => countUsage({ store })));
    await waitingFor('into usage').toBe(1);
    await addFile(pool, small, 'new', 1000);
    await upload.query('commit');
    upload.release();
    await counting;
    expect(await stored(large)).toBe(1750);
    expect(await stored(small)).toBe(1010);
  },
);

test('the count is exact in the middle of many changes', async () => {
  const changes = Array.from({ length: 30 }, async (_, number) => {
    await addFile(pool, large, `${number}`, 100);
    if (number % 3 === 0) await removeFile(large, `${number}`);
  });
  await Promise.all([...changes, countUsage({ store }), countUsage({ store })]);
  expect(await stored(large)).toBe(750 + 20 * 100);
});

test('an account with a limit is added up before the limit is applied', async () => {
  const policy = { ...testPolicy, maxStoredBytes: 800 };
  expect(await policyOf({ store, policy: testPolicy }, large)).toMatchObject({ maxStoredBytes: null });
  expect(await stored(large), 'there is no limit, and no hurry').toBeNull();
  expect(await policyOf({ store, policy }, large)).toMatchObject({ maxStoredBytes: 800 });
  expect(await stored(large)).toBe(750);
});

test('a missing row of usage is made by the first change, and is not a full storage', async () => {
  await pool.query('delete from usage');
  await addFile(pool, large, 'new', 1000);
  expect(await stored(large)).toBeNull();
  await countUsage({ store });
  expect(await stored(large)).toBe(1750);
  await pool.query('delete from usage');
  const change = (bytes: number) => pool.query('select change_usage($1, $2, 100)', [small, bytes]);
  await expect(change(101), 'more than all of it').rejects.toMatchObject({ code: 'WBFUL' });
  await change(100);
});
