import { randomUUID } from 'node:crypto';
import { cpSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { expect, test, vi } from 'vitest';
import type { InboxStore, QueueState } from '../../domain/ports/index.ts';
import { createEmptyDatabase, createTestDatabase, openTestPool, type TestDatabase } from '../../testing/database.ts';
import { fillInbox } from '../../testing/inbox.ts';
import { openDatabase } from './database.ts';
import { migrate } from './migrate.ts';
import { postgresStore } from './store.ts';

const claimOf = (maxEntries: number) => ({ leaseId: randomUUID(), leaseSeconds: 60, maxEntries, maxAttempts: 10 });

async function insertAccount({ query }: Pick<TestDatabase, 'query'>): Promise<{ accountId: string }> {
  const accountId = randomUUID();
  await query("insert into accounts (id, email, number, type) values ($1, $2, '1', 'api')", [
    accountId,
    `${accountId}@x.org`,
  ]);
  return { accountId };
}

interface PlanNode {
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

const rowsOf = (node: PlanNode): number =>
  (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'] +
  (node.Plans ?? []).reduce((sum, plan) => sum + rowsOf(plan), 0);

/** What the statement of a call costs: the pages it touches, and the rows that its steps handle. Changes nothing. */
async function costOf(database: TestDatabase, call: (inbox: InboxStore) => Promise<unknown>) {
  const asked = vi.spyOn(pg.Client.prototype, 'query');
  const pool = openTestPool(database.url);
  const rollback = new Error('rolled back');
  const work = postgresStore(openDatabase(pool)).transaction(async (tx) => {
    await call(tx.inbox);
    throw rollback;
  });
  await expect(work).rejects.toBe(rollback);
  await pool.end();
  const calls = asked.mock.calls as unknown as [{ text: string; values?: unknown[] }][];
  asked.mockRestore();
  const statement = calls.map(([query]) => query).find(({ values }) => values !== undefined);
  if (!statement) throw new Error('nothing was asked');
  const client = await database.pool.connect();
  try {
    await client.query('begin');
    const { rows } = await client.query<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(
      `explain (analyze, buffers, format json) ${statement.text}`,
      statement.values,
    );
    const plan = rows[0]?.['QUERY PLAN'][0]?.Plan;
    if (!plan) throw new Error('PostgreSQL explained nothing');
    return { pages: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'], rows: rowsOf(plan) };
  } finally {
    await client.query('rollback');
    client.release();
  }
}

test('claims and pages cost the same in an inbox with ten old entries as with 100,000', {
  timeout: 300_000,
}, async () => {
  await using database = await createTestDatabase();
  const { query } = database;
  const [sender, small, large] = [
    await insertAccount(database),
    await insertAccount(database),
    await insertAccount(database),
  ];
  // Without triggers, and in batches: a hundred thousand rows take their time.
  const client = await database.pool.connect();
  await client.query('set session_replication_role = replica');
  const fill = {
    query: async <Row extends pg.QueryResultRow>(sql: string, values?: unknown[]) =>
      (await client.query<Row>(sql, values)).rows,
  };
  await query(`alter table inbox_entries alter column state set default 'acknowledged'`);
  await fillInbox(fill, sender, small, 10);
  for (let batch = 0; batch < 20; batch++) await fillInbox(fill, sender, large, 5_000);
  await query(`alter table inbox_entries alter column state set default 'queued'`);
  for (const receiver of [small, large]) await fillInbox(fill, sender, receiver, 30);
  client.release(true);
  await query('vacuum analyze inbox_entries, drops, accounts');

  const states: (QueueState | undefined)[] = [undefined, 'available', 'claimed', 'parked', 'acknowledged'];
  const calls: [string, (accountId: string) => (inbox: InboxStore) => Promise<unknown>][] = [
    ['claim', (accountId) => (inbox) => inbox.claim(accountId, claimOf(10))],
    ...states.map((state): (typeof calls)[number] => [
      `page ${state}`,
      (accountId) => (inbox) => inbox.page(accountId, state, undefined, 6),
    ]),
  ];
  for (const [name, call] of calls) {
    const few = await costOf(database, call(small.accountId));
    const many = await costOf(database, call(large.accountId));
    expect(many.rows, `${name}: rows`).toBeLessThanOrEqual(few.rows * 1.2 + 20);
    expect(many.pages, `${name}: pages`).toBeLessThanOrEqual(few.pages * 1.2 + 20);
  }
});

test('entries from before the queue can be claimed, oldest first, and so can those of the previous version', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-migrations-'));
  const all = join(import.meta.dirname, '../../../migrations');
  for (const name of globSync('*.sql', { cwd: all })) if (name < '0033') cpSync(join(all, name), join(folder, name));
  await using empty = await createEmptyDatabase();
  const pool = openTestPool(empty.url);
  const query = async <Row extends pg.QueryResultRow>(sql: string, values?: unknown[]) =>
    (await pool.query<Row>(sql, values)).rows;
  await migrate(pool, pathToFileURL(`${folder}/`));
  rmSync(folder, { recursive: true });
  const [sender, receiver] = [await insertAccount({ query }), await insertAccount({ query })];
  await fillInbox({ query }, sender, receiver, 3);
  const before = await query<{ id: string }>('select id from inbox_entries');
  const [rows] = await query<{ file: number }>("select pg_relation_filenode('inbox_entries') as file");
  expect(await migrate(pool)).toContain('0033_inbox_queue.sql');
  expect(await query("select pg_relation_filenode('inbox_entries') as file"), 'the table was not rewritten').toEqual([
    rows,
  ]);
  await fillInbox({ query }, sender, receiver, 2);

  const { inbox } = postgresStore(openDatabase(pool));
  const first = await inbox.claim(receiver.accountId, claimOf(3));
  expect(first.map(({ id }) => id).toSorted()).toEqual(before.map(({ id }) => id).toSorted());
  expect(first.map(({ state, attempts }) => [state, attempts])).toEqual(
    Array.from({ length: 3 }, () => ['claimed', 1]),
  );
  expect(await inbox.claim(receiver.accountId, claimOf(100))).toHaveLength(2);
  await pool.end();
});
