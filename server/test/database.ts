import { hash, randomBytes } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { inject } from 'vitest';
import type { Store } from '../src/domain/store.ts';
import { type Deadlines, jobDeadlines, openDatabase, openPool } from '../src/engines/postgres/database.ts';
import { migrate } from '../src/engines/postgres/migrate.ts';
import { postgresStore } from '../src/engines/postgres/store.ts';
import { databaseUrl, urlOfDatabase } from './database-url.ts';

export interface TestDatabase extends AsyncDisposable {
  readonly url: string;
  readonly pool: pg.Pool;
  readonly store: Store;
  /** For inspecting the database without the store, and for moving its clock. */
  query<Row extends pg.QueryResultRow>(sql: string, parameters?: unknown[]): Promise<Row[]>;
}

/** A test's own migrated database: a copy of the run's template, dropped at the end. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const empty = await createEmptyDatabase(templateName(inject('runId')));
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
  await withConnection((client) => client.query(`create database ${name} template ${template}`));
  return {
    url: urlOfDatabase(name),
    async [Symbol.asyncDispose]() {
      await withConnection((client) => client.query(`drop database ${name} with (force)`));
    },
  };
}

/** With `ownSessions`, as the pools of a restore are opened. */
export function openTestPool(url: string, deadlines: Deadlines = jobDeadlines, ownSessions?: Set<number>): pg.Pool {
  return openPool({ url, connections: 12, deadlines, onError: () => undefined, ownSessions });
}

let migratedDigest = '';

/** Migrates the template of a run's databases, unless that has been done with the same migrations. */
export async function createTemplate(runId: string): Promise<void> {
  const digest = digestMigrations();
  if (digest === migratedDigest) return;
  const name = templateName(runId);
  await withConnection(async (client) => {
    await client.query(`drop database if exists ${name}`);
    await client.query(`create database ${name}`);
  });
  const pool = openTestPool(urlOfDatabase(name));
  await migrate(pool);
  await pool.end();
  migratedDigest = digest;
}

export async function dropDatabasesOfRun(runId: string): Promise<void> {
  await withConnection(async (client) => {
    const { rows } = await client.query<{ datname: string }>(
      'select datname from pg_database where starts_with(datname, $1)',
      [prefix(runId)],
    );
    for (const { datname } of rows) await client.query(`drop database ${datname} with (force)`);
  });
}

async function withConnection<Result>(work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: databaseUrl });
  // A lost connection fails the query in progress; without a listener, it would also end the process.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

function digestMigrations(): string {
  const folder = fileURLToPath(new URL('../migrations/', import.meta.url));
  const files = globSync('*.sql', { cwd: folder }).toSorted();
  return hash('sha256', files.map((file) => `${file}\n${readFileSync(`${folder}${file}`, 'utf8')}`).join('\n'));
}

const prefix = (runId: string) => `waybill_test_${runId}_`;
const templateName = (runId: string) => `${prefix(runId)}template`;
