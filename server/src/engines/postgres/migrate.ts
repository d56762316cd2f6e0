import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { DatabaseError } from 'pg';
import { SetupError } from '../../domain/setup-error.ts';

/** Any number: it only has to be the same in every process that migrates. */
const lockNumber = 7_295_113;
const askAgainAfterMs = 250;
/** A wait for another process is reported after the first of these times, and then each time the other has passed. */
const firstReportMs = 5_000;
const nextReportMs = 60_000;

export interface MigrateOptions {
  readonly from?: URL;
  /** Called with what is waited for and what can be done, while another process holds the lock. */
  readonly onWait?: ((message: string) => void) | undefined;
  readonly firstReportMs?: number;
  /** Called before the schema is created in a database that has none, which an error prevents. */
  readonly beforeCreation?: () => Promise<void>;
}

/**
 * A change to a table waits for the statements that use the table, and all later statements on it wait behind the
 * change. The change therefore waits only for a moment, lets the others pass, and is tried again.
 */
const lockTimeoutMs = 1_000;
const maxLockAttempts = 60;

const folder = new URL('../../../migrations/', import.meta.url);

export interface PlannedMigration {
  readonly name: string;
  /** Empty if it does not say. */
  readonly purpose: string;
  /**
   * Marked `-- concurrently`: its statements are run one by one and not in a transaction, so that an index can be built
   * while its table is being written to. Each statement must be repeatable and must not contain a semicolon.
   */
  readonly isConcurrent: boolean;
  /**
   * Marked `-- contract since NAME`: it removes what only programs that do not know the migration NAME use; they cannot
   * work with the schema after it. All other migrations only add.
   */
  readonly contractSince?: string;
}

interface Migration extends PlannedMigration {
  readonly sql: string;
}

/** As an earlier, this or a later version recorded it. */
interface AppliedMigration {
  readonly name: string;
  readonly contract: boolean;
  readonly since: string | null;
}

/**
 * Brings the schema up to date with this program, forward only. Processes that start at the same time wait for one
 * another; a newer schema is rejected if its changes are such that this program would not understand it.
 */
export async function migrate(pool: pg.Pool, options: MigrateOptions = {}): Promise<string[]> {
  const { from = folder } = options;
  const migrations = await readMigrations(from);
  const client = await pool.connect();
  try {
    // A migration of a large table, or waiting for another process that migrates, may take longer than a request may.
    await client.query('set statement_timeout = 0');
    // PostgreSQL then notices within two minutes when this machine is gone, and not after two hours.
    await client.query('set tcp_keepalives_idle = 60; set tcp_keepalives_interval = 15; set tcp_keepalives_count = 4');
    await lockOthersOut(client, options);
    if (!(await hasSchema(client))) await options.beforeCreation?.();
    const { runMigrations } = await import('graphile-worker');
    await runMigrations({ pgPool: pool });
    await createTable(client);
    const applied = await readApplied(client);
    refuseFuture(applied, migrations);
    const pending = findPending(migrations, applied);
    for (const migration of pending) {
      if (migration.isConcurrent) await applyConcurrently(client, migration);
      else await applyAtOnce(client, migration);
    }
    return pending.map(({ name }) => name);
  } finally {
    // Ends the session, which releases the lock and any transaction that a failed migration left open.
    client.release(true);
  }
}

/** Throws if the database has no schema yet: a backup can only be restored into one that is still empty. */
export async function requireSchema(pool: pg.Pool): Promise<void> {
  if (await hasSchema(pool)) return;
  throw new SetupError(
    'The database is empty: it was neither set up nor restored. Run `waybilld setup` or `waybilld admin migrate`, or restore a backup with `waybilld admin restore`.',
  );
}

async function hasSchema(pool: pg.Pool | pg.PoolClient): Promise<boolean> {
  const { rows } = await pool.query<{ exists: boolean }>("select to_regclass('migrations') is not null as exists");
  return rows[0]?.exists ?? false;
}

/** Lists the migrations that `migrate` would apply now. Changes nothing. */
export async function planMigrations(pool: pg.Pool, from: URL = folder): Promise<PlannedMigration[]> {
  const migrations = await readMigrations(from);
  if (!(await hasSchema(pool))) return migrations.map(planned);
  const applied = await readApplied(pool);
  refuseFuture(applied, migrations);
  return findPending(migrations, applied).map(planned);
}

const planned = ({ sql: _, ...plan }: Migration): PlannedMigration => plan;

const findPending = (migrations: readonly Migration[], applied: readonly { name: string }[]) =>
  migrations.filter(({ name }) => !applied.some((known) => known.name === name));

async function createTable(client: pg.PoolClient): Promise<void> {
  await client.query(
    `create table if not exists migrations (name text primary key, applied_at timestamptz not null default now(),
      contract boolean not null, since text)`,
  );
}

async function readApplied(client: pg.Pool | pg.PoolClient): Promise<AppliedMigration[]> {
  const { rows } = await client.query<AppliedMigration>('select name, contract, since from migrations');
  return rows;
}

async function readMigrations(from: URL): Promise<Migration[]> {
  const names = (await readdir(from)).filter((name) => /^\d{4}_\w+\.sql$/.test(name)).toSorted();
  return await Promise.all(
    names.map(async (name) => {
      const sql = await readFile(new URL(name, from), 'utf8');
      return {
        name,
        sql,
        purpose: readPurpose(sql),
        isConcurrent: /^-- concurrently$/m.test(sql),
        ...readContract(name, sql, names),
      };
    }),
  );
}

function readContract(name: string, sql: string, names: readonly string[]): { contractSince?: string } {
  const mark = /^-- contract\b(?: since (\S+)$)?/m.exec(sql);
  if (mark === null) return {};
  const [, since] = mark;
  if (since === undefined || since >= name || !names.includes(since)) {
    throw new Error(`${name} does not name an earlier migration in the form "-- contract since NAME"`);
  }
  return { contractSince: since };
}

/** The first sentence of the comment that the migration begins with, after its markers. */
function readPurpose(sql: string): string {
  const [comment = ''] = /^(?:-- .*\n)*/.exec(sql.replaceAll(/^-- (?:concurrently|contract\b.*)\n/gm, '')) ?? [];
  const text = comment.replaceAll(/^-- +/gm, '').replaceAll('\n', ' ');
  return /^.*?\.(?= )/.exec(text)?.[0] ?? '';
}

/**
 * Polls for the lock instead of waiting in one statement: building an index concurrently waits for all statements that
 * began before it, and would wait for this one, which waits for the index.
 */
async function lockOthersOut(client: pg.PoolClient, options: MigrateOptions): Promise<void> {
  let reportAt = performance.now() + (options.firstReportMs ?? firstReportMs);
  for (;;) {
    const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [lockNumber]);
    if (rows[0]?.locked) return;
    if (performance.now() >= reportAt) {
      reportAt = performance.now() + nextReportMs;
      const message = await describeHolder(client);
      if (message !== undefined) options.onWait?.(message);
    }
    await pause(askAgainAfterMs);
  }
}

/** Undefined if the lock was released in between. */
async function describeHolder(client: pg.PoolClient): Promise<string | undefined> {
  const { rows } = await client.query<{ pid: number; name: string; address: string | null; since: Date }>(
    `select pid, application_name as name, host(client_addr) as address, backend_start as since
     from pg_locks join pg_stat_activity using (pid)
     where locktype = 'advisory' and granted and database = (select oid from pg_database where datname = current_database())
       and classid = 0 and objid = $1 and objsubid = 1`,
    [lockNumber],
  );
  const [holder] = rows;
  if (!holder) return undefined;
  const { pid, name, address, since } = holder;
  return `Waiting for another process that migrates the database: “${name}” from ${address ?? 'this machine'}, connected since ${since.toISOString()}. If no such process runs any more, such as after a power failure there, end its session: select pg_terminate_backend(${pid});`;
}

function refuseFuture(applied: readonly AppliedMigration[], migrations: readonly Migration[]): void {
  const isKnown = (wanted: string | null) => migrations.some(({ name }) => name === wanted);
  const unknown = applied.filter(({ name, contract, since }) => contract && !isKnown(name) && !isKnown(since));
  if (unknown.length === 0) return;
  const names = unknown.map(({ name }) => name).join(', ');
  throw new SetupError(
    `the database is newer than this program (it has ${names}); run the version that made it, or a later one`,
  );
}

async function applyAtOnce(client: pg.PoolClient, migration: Migration): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await client.query('begin');
      await client.query(`set local lock_timeout = ${lockTimeoutMs}`);
      await client.query(migration.sql);
      await note(client, migration);
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

async function note(client: pg.PoolClient, { name, contractSince }: Migration): Promise<void> {
  await client.query('insert into migrations (name, contract, since) values ($1, $2, $3)', [
    name,
    contractSince !== undefined,
    contractSince,
  ]);
}
