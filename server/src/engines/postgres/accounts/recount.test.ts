import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/database.ts';

let database: TestDatabase;
let accountId: string;
beforeEach(async () => {
  database = await createTestDatabase();
  accountId = randomUUID();
  await database.query("insert into accounts (id, email, phone, type) values ($1::uuid, $1::text, '1', 'api')", [
    accountId,
  ]);
  await addFile(database.pool, 'old', 700);
  await addFile(database.pool, 'older', 50);
});
afterEach(() => database[Symbol.asyncDispose]());

async function addFile(on: pg.Pool | pg.PoolClient, name: string, bytes: number): Promise<void> {
  await on.query(
    `insert into files (account_id, id, state, draft, name, media_type, size_bytes, sha256, crc32, scan,
       chunk_count, wrapped_key, key_day)
     values ($1, $2, 'ready', '', $3, 'text/plain', $4, '', 0, 'clean', 1, '', 99999)`,
    [accountId, randomUUID(), name, bytes],
  );
}

const removeFile = (name: string) =>
  database.query("update files set state = 'deleting', wrapped_key = null, lease_until = now() where name = $1", [
    name,
  ]);
const readStored = async () => (await database.store.quotas.usage(accountId)).storedBytes;
const recount = () => database.store.transaction((tx) => tx.quotas.recount(accountId));
const falsify = () => database.query('update usage set stored_bytes = 5');

const waitUntilBlocked = (statement: string) =>
  expect
    .poll(
      () =>
        database.query(
          `select from pg_locks join pg_stat_activity as waiting using (pid)
           where not granted and waiting.datname = current_database() and query like '%' || $1 || '%'`,
          [statement],
        ),
      { timeout: 10_000 },
    )
    .toHaveLength(1);

test('corrects a wrong usage and returns both values', async () => {
  expect(await readStored()).toBe(750);
  await falsify();
  expect(await recount()).toEqual({ before: 5, after: 750 });
  expect(await readStored()).toBe(750);
});

test('does not block uploads of the account', async () => {
  await falsify();
  const blocking = await database.pool.connect();
  await blocking.query('begin; lock table uploads in access exclusive mode');
  const counting = recount();
  await waitUntilBlocked('from uploads');
  await addFile(database.pool, 'new', 1000);
  await blocking.query('commit');
  blocking.release();
  await counting;
  expect(await readStored()).toBe(1750);
});

test.for([1, 2])('counts once a file that is committed while %i processes recount', async (processes) => {
  await falsify();
  const upload = await database.pool.connect();
  await upload.query('begin; set constraints all immediate');
  await addFile(upload, 'new', 1000);
  const counting = Promise.all(Array.from({ length: processes }, recount));
  await waitUntilBlocked('into usage');
  await upload.query('commit');
  upload.release();
  await counting;
  expect(await readStored()).toBe(1750);
});

test('is exact while many files are added and removed', async () => {
  await falsify();
  const changes = Array.from({ length: 30 }, async (_, number) => {
    await addFile(database.pool, `${number}`, 100);
    if (number % 3 === 0) await removeFile(`${number}`);
  });
  await Promise.all([...changes, recount(), recount()]);
  expect(await readStored()).toBe(750 + 20 * 100);
});

test('a change inserts a missing row of usage, and does not take it for a full storage', async () => {
  await database.query('delete from usage');
  await addFile(database.pool, 'new', 1000);
  await recount();
  expect(await readStored()).toBe(1750);
  await database.query('delete from usage');
  const change = (bytes: number) => database.query('select change_usage($1, $2, 100)', [accountId, bytes]);
  await expect(change(101)).rejects.toMatchObject({ code: 'WBFUL' });
  await change(100);
});
