import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import type { Store } from '../domain/store.ts';
import { type Deadlines, jobDeadlines, openDatabase, openPool } from '../engines/postgres/database.ts';
import { migrate } from '../engines/postgres/migrate.ts';
import { postgresStore } from '../engines/postgres/store.ts';
import { engineAddresses } from './engine-addresses.ts';

export interface TestDatabase extends AsyncDisposable {
  readonly url: string;
  readonly pool: pg.Pool;
  readonly store: Store;
  /** For inspecting the database without the store, and for moving its clock. */
  query<Row extends pg.QueryResultRow>(sql: string, parameters?: unknown[]): Promise<Row[]>;
}

/** A test's own migrated database: a copy of the run's template, dropped at the end. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const template = await templateOfRun();
  const empty = await createEmptyDatabase(template);
  const pool = openTestPool(empty.url);
  return {
    url: empty.url,
    pool,
    store: postgresStore(openDatabase(pool)),
    async query<Row extends pg.QueryResultRow>(sql: string, parameters?: unknown[]) {
      const { rows } = await pool.query<Row>(sql, parameters);
      return rows;
    },
    async [Symbol.asyncDispose]() {
      await pool.end();
      await empty[Symbol.asyncDispose]();
    },
  };
}

/** A database without our schema, or a copy of another. */
export async function createEmptyDatabase(template = 'template1'): Promise<{ url: string } & AsyncDisposable> {
  const name = `${prefix(inject('runId'))}${randomBytes(4).toString('hex')}`;
  await asServer((client) => client.query(`create database ${name} template ${template}`));
  return {
    url: urlOf(name),
    async [Symbol.asyncDispose]() {
      await asServer((client) => client.query(`drop database ${name} with (force)`));
    },
  };
}

/** With `ownSessions`, as the pools of a restore are opened. */
export function openTestPool(url: string, deadlines: Deadlines = jobDeadlines, ownSessions?: Set<number>): pg.Pool {
  return openPool({ url, connections: 12, deadlines, onError: () => undefined, ownSessions });
}

export async function dropDatabasesOfRun(runId: string): Promise<void> {
  await asServer(async (client) => {
    const { rows } = await client.query<{ datname: string }>(
      'select datname from pg_database where starts_with(datname, $1)',
      [prefix(runId)],
    );
    for (const { datname } of rows) await client.query(`drop database ${datname} with (force)`);
  });
}

/** Migrated by whichever test file comes first; the others wait for it. */
async function templateOfRun(): Promise<string> {
  const runId = inject('runId');
  const name = `${prefix(runId)}template`;
  await asServer(async (client) => {
    await client.query('select pg_advisory_lock(hashtext($1))', [name]);
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name]);
    if (rowCount) return;
    const unfinished = `${prefix(runId)}unfinished`;
    await client.query(`create database ${unfinished}`);
    const pool = openTestPool(urlOf(unfinished));
    await migrate(pool);
    await pool.end();
    await client.query(`alter database ${unfinished} rename to ${name}`);
  });
  return name;
}

async function asServer<Result>(work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: urlOf('postgres') });
  // A lost connection fails the query in progress; without a listener, it would also end the process.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const prefix = (runId: string) => `waybill_test_${runId}_`;
const urlOf = (name: string) => `${engineAddresses.postgres}/${name}`;
