import pg from 'pg';
import { expect, vi } from 'vitest';
import type { Store } from '../src/domain/store.ts';
import { openDatabase } from '../src/engines/postgres/database.ts';
import { postgresStore } from '../src/engines/postgres/store.ts';
import { openTestPool, type TestDatabase } from './database.ts';

interface PlanNode {
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

const readRows = (node: PlanNode): number =>
  (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'] +
  (node.Plans ?? []).reduce((sum, plan) => sum + readRows(plan), 0);

/** Measures the statements of some work, each run again: the pages they touch, and the rows that their steps handle. */
export async function measureCost(database: TestDatabase, work: (store: Store) => Promise<unknown>) {
  const asked = vi.spyOn(pg.Client.prototype, 'query');
  const pool = openTestPool(database.url);
  await work(postgresStore(openDatabase(pool)));
  await pool.end();
  const calls = asked.mock.calls as unknown as [{ text: string; values?: unknown[] }][];
  asked.mockRestore();
  const statements = calls.map(([query]) => query).filter(({ values }) => values !== undefined);
  expect(statements).not.toEqual([]);
  const cost = { pages: 0, rows: 0 };
  for (const { text, values } of statements) {
    const client = await database.pool.connect();
    await client.query('begin');
    const { rows } = await client.query<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(
      `explain (analyze, buffers, format json) ${text}`,
      values,
    );
    await client.query('rollback');
    client.release();
    const plan = rows[0]?.['QUERY PLAN'][0]?.Plan;
    if (!plan) throw new Error('PostgreSQL explained nothing');
    cost.pages += plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
    cost.rows += readRows(plan);
  }
  return cost;
}
