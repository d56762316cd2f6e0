import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { runMigrations } from 'graphile-worker';
import type pg from 'pg';
import { DatabaseError } from 'pg';

/** Any number: it only has to be the same in every process that migrates. */
const lockNumber = 7_295_113;
const askAgainAfterMs = 250;

/**
 * A change of a table waits for the statements that use it, and whatever is asked of the table meanwhile waits behind the
 * change. So it waits for a moment only, lets the others pass, and is tried again.
 */
const lockTimeoutMs = 1_000;
const maxLockAttempts = 60;

const folder = new URL('../../../migrations/', import.meta.url);

interface Migration {
  readonly name: string;
  readonly sql: string;
  /**
   * Marked `-- concurrently`: its statements are run one by one and not in a transaction, so that an index can be built
   * while its table is being written to. Each of them must be repeatable, and have no semicolon within.
   */
  readonly isConcurrent: boolean;
  /**
   * Marked `-- contract`: a program that does not know it cannot work with the schema after it. All others only add: the
   * version before serves on beside the new one, and can be started again.
   */
  readonly isContract: boolean;
}

/**
 * Brings the schema up to this program, forward only. Starters at the same time wait for one another; a schema from
 * the future is refused if its changes are such that this program would not understand it.
 */
export async function migrate(pool: pg.Pool, from: URL = folder): Promise<string[]> {
  const migrations = await readMigrations(from);
  const client = await pool.connect();
  try {
    // A migration of a large table, and waiting for another starter's, may take longer than a request may.
    await client.query('set statement_timeout = 0');
    await lockOthersOut(client);
    await runMigrations({ pgPool: pool });
    await createTable(client);
    const { rows: applied } = await client.query<{ name: string; contract: boolean }>(
      'select name, contract from migrations',
    );
    refuseFuture(applied, migrations);
    const pending = migrations.filter(({ name }) => !applied.some((known) => known.name === name));
    for (const migration of pending) {
      if (migration.isConcurrent) await applyConcurrently(client, migration);
      else await applyAtOnce(client, migration);
    }
    return pending.map(({ name }) => name);
  } finally {
    // Ends the session, and with it the lock and whatever transaction a failed migration left open.
    client.release(true);
  }
}

/** Changed only where it is needed: even to find out that nothing is to be done, the change would wait for a backup. */
async function createTable(client: pg.PoolClient): Promise<void> {
  await client.query(
    `create table if not exists migrations
       (name text primary key, applied_at timestamptz not null default now(), contract boolean not null default true)`,
  );
  const { rows } = await client.query(
    "select from pg_attribute where attrelid = 'migrations'::regclass and attname = 'contract'",
  );
  if (rows.length === 0) {
    await withoutBlocking(client, 'alter table migrations add column contract boolean not null default true');
  }
}

async function readMigrations(from: URL): Promise<Migration[]> {
  const names = (await readdir(from)).filter((name) => /^\d{4}_\w+\.sql$/.test(name)).toSorted();
  return await Promise.all(
    names.map(async (name) => {
      const sql = await readFile(new URL(name, from), 'utf8');
      const isMarked = (marker: string) => new RegExp(`^-- ${marker}$`, 'm').test(sql);
      return { name, sql, isConcurrent: isMarked('concurrently'), isContract: isMarked('contract') };
    }),
  );
}

/**
 * Asks again and again, instead of waiting in one statement: an index that is built concurrently waits for all statements
 * that began before it, and would wait for this one, which waits for the index.
 */
async function lockOthersOut(client: pg.PoolClient): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [lockNumber]);
    if (rows[0]?.locked) return;
    await pause(askAgainAfterMs);
  }
}

function refuseFuture(applied: readonly { name: string; contract: boolean }[], migrations: readonly Migration[]): void {
  const unknown = applied.filter(({ name, contract }) => contract && !migrations.some((known) => known.name === name));
  if (unknown.length === 0) return;
  const names = unknown.map(({ name }) => name).join(', ');
  throw new Error(
    `the database is newer than this program (it has ${names}); run the version that made it, or a later one`,
  );
}

async function applyAtOnce(client: pg.PoolClient, migration: Migration): Promise<void> {
  await withoutBlocking(client, migration.sql, () => note(client, migration));
}

async function withoutBlocking(
  client: pg.PoolClient,
  change: string,
  andThen: () => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await client.query('begin');
      await client.query(`set local lock_timeout = ${lockTimeoutMs}`);
      await client.query(change);
      await andThen();
      await client.query('commit');
      return;
    } catch (error) {
      const isLocked = error instanceof DatabaseError && error.code === '55P03';
      if (!isLocked || attempt === maxLockAttempts) throw error;
      await client.query('rollback');
      await pause(askAgainAfterMs);
    }
  }
}

async function applyConcurrently(client: pg.PoolClient, migration: Migration): Promise<void> {
  const statements = migration.sql.replaceAll(/^--.*$/gm, '').split(';');
  for (const statement of statements) if (statement.trim() !== '') await client.query(statement);
  await note(client, migration);
}

async function note(client: pg.PoolClient, { name, isContract }: Migration): Promise<void> {
  await client.query('insert into migrations (name, contract) values ($1, $2)', [name, isContract]);
}
