import { randomUUID } from 'node:crypto';
import pg from 'pg';
import {
  clockFinding,
  type Finding,
  fault,
  ok,
  reachRemedy,
  reason,
  skipped,
  warning,
} from '../../domain/doctor/finding.ts';
import { openPool, StandbyError } from './database.ts';
import { planMigrations } from './migrate.ts';

interface PostgresExamination {
  readonly url: string;
  /** The connections that each process may open. */
  readonly connections: number;
  /** The connections that a `work` process needs. */
  readonly workConnections?: number;
  readonly now?: () => number;
  /** The oldest major version that Waybill is tested with. */
  readonly oldestTested?: number;
}

const deadlines = { connectMs: 3_000, statementMs: 5_000, responseMs: 6_000 };
/** A sweep a minute ends what is due; jobs are taken at once. */
const overdueSeconds = 300;
const setting = 'WAYBILL_DATABASE_URL';

export async function* examinePostgres(options: PostgresExamination): AsyncGenerator<Finding> {
  const { url, connections, workConnections = 0, now = Date.now, oldestTested = 15 } = options;
  const pool = openPool({ url, connections: 1, deadlines, onError: () => undefined });
  try {
    const facts = await readFacts(pool).catch((error: unknown) => refusal(error, url));
    if ('check' in facts) {
      yield facts;
      return;
    }
    yield ok('postgres.reachable', `PostgreSQL ${facts.version} responds.`);
    if (facts.major < oldestTested) {
      const says = `PostgreSQL ${facts.version} is older than the versions Waybill is tested with.`;
      yield warning('postgres.version', says, `Upgrade PostgreSQL to ${oldestTested} or later.`);
    }
    yield await writable(pool, facts);
    yield encoding(facts);
    yield permission(facts);
    yield durability(facts);
    yield capacity(facts, connections, workConnections);
    yield clockFinding('postgres.clock', 'PostgreSQL', facts.clock, now());
    const schema = await schemaFinding(pool);
    yield schema;
    if (schema.status !== 'ok') return;
    yield await workFinding(pool);
    const backups = await examineBackups(pool);
    if (backups) yield backups;
    yield* await findUndeleted(pool);
  } finally {
    await pool.end();
  }
}

interface Facts {
  readonly version: string;
  readonly major: number;
  readonly database: string;
  readonly role: string;
  readonly encoding: string;
  readonly readOnly: boolean;
  readonly durable: boolean;
  readonly mayCreate: boolean;
  readonly foreignTables: number;
  readonly allowedConnections: number;
  readonly clock: number;
}

async function readFacts(pool: pg.Pool): Promise<Facts> {
  const { rows } = await pool.query<Facts>(`
    select split_part(current_setting('server_version'), ' ', 1) as version,
      current_setting('server_version_num')::int / 10000 as major,
      current_database() as database, current_user as role,
      current_setting('server_encoding') as encoding,
      current_setting('transaction_read_only') = 'on' as "readOnly",
      current_setting('fsync') = 'on' and current_setting('synchronous_commit') <> 'off' as durable,
      coalesce(has_schema_privilege(current_schema(), 'create'), false)
        and has_database_privilege(current_database(), 'create') as "mayCreate",
      (select count(*) from pg_tables where schemaname = current_schema() and not pg_has_role(tableowner, 'usage'))
        as "foreignTables",
      least(
        current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int,
        (select nullif(datconnlimit, -1) from pg_database where datname = current_database()),
        (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user)
      ) as "allowedConnections",
      (extract(epoch from clock_timestamp()) * 1000)::float8 as clock`);
  return rows[0] as Facts;
}

/** Translates an error of PostgreSQL into the setting that is wrong. */
function refusal(error: unknown, url: string): Finding {
  if (error instanceof StandbyError) {
    const remedy = `Put the address of the primary server into ${setting}.`;
    return fault('postgres.writable', 'This PostgreSQL is a standby server, which only reads.', remedy);
  }
  const { code = '' } = error as { code?: string };
  const { user: role = '', database = '' } = new pg.Client(url);
  const createDatabase = `createdb --owner=${role} --encoding=UTF8 --template=template0 ${database}`;
  if (code === '28P01' || code === '28000') {
    const remedy = reason(error).endsWith('does not exist')
      ? `Create it and its database, as root on PostgreSQL’s machine: su postgres -c 'createuser ${role} && ${createDatabase}'. Or correct the user in ${setting}.`
      : reason(error).startsWith('Peer')
        ? `Run this as the system’s user ${role}. Or correct ${setting}: with a password and the host 127.0.0.1, any user can log in.`
        : `Correct the user and the password in ${setting}, or pg_hba.conf on the server.`;
    return fault('postgres.login', `PostgreSQL refuses the login: ${reason(error)}.`, remedy);
  }
  if (code === '3D000') {
    const remedy = `Create it, as root on PostgreSQL’s machine: su postgres -c '${createDatabase}'. Or correct ${setting}.`;
    return fault('postgres.database', `There is no such database: ${reason(error)}.`, remedy);
  }
  if (code === '53300') {
    const remedy = 'Raise max_connections in postgresql.conf, or lower WAYBILL_DATABASE_CONNECTIONS.';
    return fault('postgres.connections', `All connections are in use: ${reason(error)}.`, remedy);
  }
  return fault(
    'postgres.reachable',
    `PostgreSQL is out of reach: ${reason(error)}.`,
    reachRemedy(
      error,
      `Start it, check that this machine may connect to it, or correct the host and the port in ${setting}.`,
    ),
  );
}

async function writable(pool: pg.Pool, { readOnly, mayCreate }: Facts): Promise<Finding> {
  if (readOnly) {
    const remedy = 'Remove the setting default_transaction_read_only of the server, the database or the role.';
    return fault('postgres.writable', 'Transactions are read-only.', remedy);
  }
  if (!mayCreate) return skipped('postgres.writable', 'Nothing was written: see postgres.permission.');
  try {
    await attemptWrite(pool);
    return ok('postgres.writable', 'The database accepts changes.');
  } catch (error) {
    return (error as { code?: unknown }).code === '53100'
      ? fault(
          'postgres.space',
          `PostgreSQL has no space left: ${reason(error)}.`,
          'Make room on the disk of PostgreSQL’s data directory.',
        )
      : fault(
          'postgres.writable',
          `The database does not accept a change: ${reason(error)}.`,
          'See the log of PostgreSQL, and whether its disk is full or slow.',
        );
  }
}

/** Makes files of PostgreSQL grow, and undoes it. The table is unlogged, so that WAL needs none of the room that is left. */
async function attemptWrite(pool: pg.Pool): Promise<void> {
  const client = await pool.connect();
  const table = `waybill_doctor_${randomUUID().replaceAll('-', '')}`;
  try {
    await client.query(`begin; create unlogged table ${table} as
      select repeat('x', 1000) as text from generate_series(1, 500)`);
  } finally {
    await client.query('rollback').then(
      () => client.release(),
      (error: Error) => client.release(error),
    );
  }
}

function encoding({ encoding: found, database }: Facts): Finding {
  if (found === 'UTF8') return ok('postgres.encoding', 'The database is in UTF8.');
  const remedy = `Create the database again with --encoding=UTF8 --template=template0; the encoding of ${database} cannot be changed.`;
  return fault('postgres.encoding', `The database is in ${found}: it cannot hold every file name.`, remedy);
}

function permission({ mayCreate, foreignTables, database, role }: Facts): Finding {
  if (!mayCreate) {
    const remedy = `As PostgreSQL’s superuser: alter database "${database}" owner to "${role}".`;
    return fault('postgres.permission', `The role ${role} may not create tables and schemas.`, remedy);
  }
  if (foreignTables === 0) return ok('postgres.permission', `The role ${role} may create and change tables.`);
  const remedy = `As PostgreSQL’s superuser: reassign owned by the former owner to "${role}".`;
  return fault('postgres.permission', `${foreignTables} tables do not belong to the role ${role}.`, remedy);
}

function durability({ durable }: Facts): Finding {
  if (durable) return ok('postgres.durability', 'PostgreSQL confirms only what is on disk.');
  return warning(
    'postgres.durability',
    'fsync or synchronous_commit is off: a power failure can lose files that were confirmed.',
    'Set fsync = on and synchronous_commit = on in postgresql.conf, and reset them for the database and the role.',
  );
}

function capacity({ allowedConnections }: Facts, connections: number, workConnections: number): Finding {
  if (connections < workConnections) {
    const tooFew = `WAYBILL_DATABASE_CONNECTIONS is ${connections}: \`work\` does not start with fewer than ${workConnections}.`;
    return warning('postgres.connections', tooFew, 'Raise it, unless no `work` process uses these settings.');
  }
  const needed = 2 * connections;
  if (allowedConnections >= needed) {
    return ok('postgres.connections', `Up to ${needed} of ${allowedConnections} connections are needed.`);
  }
  const says = `A \`serve\` and a \`work\` process open up to ${needed} connections, and PostgreSQL allows ${allowedConnections}.`;
  const remedy =
    'Raise max_connections, or the connection limit of the database or the role; or lower WAYBILL_DATABASE_CONNECTIONS.';
  return fault('postgres.connections', says, remedy);
}

async function schemaFinding(pool: pg.Pool): Promise<Finding> {
  try {
    const pending = await planMigrations(pool);
    if (pending.length === 0) return ok('postgres.schema', 'The schema is up to date.');
    const says = `${pending.length} changes to the schema are pending, beginning with ${pending[0]?.name}.`;
    return warning('postgres.schema', says, 'Run: waybilld admin migrate. `serve` and `work` also do so at startup.');
  } catch (error) {
    const remedy = 'Install the version of Waybill that last ran on this database, or a later one.';
    return fault('postgres.schema', `The schema does not fit: ${reason(error)}.`, remedy);
  }
}

/** Workers leave no trace of their own, but what they have not done does. */
async function workFinding(pool: pg.Pool): Promise<Finding> {
  const { rows } = await pool.query<{ jobs: number; drops: number }>(
    `select
      (select count(*) from graphile_worker.jobs
        where locked_at is null and attempts < max_attempts and run_at < now() - make_interval(secs => $1)) as jobs,
      (select count(*) from drops where ended_at is null and expires_at < now() - make_interval(secs => $1)) as drops`,
    [overdueSeconds],
  );
  const { jobs = 0, drops = 0 } = rows[0] ?? {};
  if (jobs === 0 && drops === 0) return ok('work.running', 'No job and no deadline is overdue.');
  return fault(
    'work.running',
    `For more than ${overdueSeconds / 60} minutes, ${jobs} jobs and ${drops} ended drops have been waiting for a worker.`,
    'Start a `work` process, look at its log, or start more of them: systemctl status waybill-work.',
  );
}

/** Objects that are still in the bucket although they were to be deleted. */
async function findUndeleted(pool: pg.Pool): Promise<Finding[]> {
  const { rows } = await pool.query<{ key: string }>('select key from undeleted_objects order by due_at limit 100');
  const [first] = rows;
  if (!first) return [];
  const says = `The object store does not delete ${rows.length === 1 ? 'an object' : `${rows.length} objects or more`}, such as ${first.key}.`;
  return [
    warning('s3.undeleted', says, 'List them with waybilld admin sweep --undeleted, and repair the object store.'),
  ];
}

const check = 'backup.last';
/** As in the alert WaybillBackupOld. */
const oldHours = 48;
/** An installation may be tried before anything in it matters. */
const firstHours = 7 * 24;
const remedy =
  'Make one by hand, which says why it fails: waybilld admin backup make --to PLACE --day-keys PLACE. docs/backup.md describes how to make one every night.';

interface LastBackup {
  /** The moment of the database in it. */
  readonly takenAt: Date | null;
  readonly hours: number | null;
  /** Null if one has succeeded since. */
  readonly failedAt: Date | null;
  readonly installedHours: number | null;
}

/** Judges the age of the last backup, and whether one has failed since; undefined if none is expected yet. */
async function examineBackups(pool: pg.Pool): Promise<Finding | undefined> {
  const { rows } = await pool.query<LastBackup>(`
    select taken_at as "takenAt", extract(epoch from now() - taken_at)::float8 / 3600 as hours,
      (select failed_at from last_backup_failure where failed_at > coalesce(taken_at, '-infinity')) as "failedAt",
      (select extract(epoch from now() - min(applied_at))::float8 / 3600 from migrations) as "installedHours"
    from (values (1)) as one left join last_backup on true`);
  const { takenAt = null, hours = null, failedAt = null, installedHours = null } = rows[0] ?? {};
  const last = takenAt === null ? 'There is no backup.' : `The last backup is of ${takenAt.toISOString()}.`;
  if (failedAt) return warning(check, `The backup at ${failedAt.toISOString()} failed. ${last}`, remedy);
  if (hours === null) return (installedHours ?? 0) > firstHours ? warning(check, last, remedy) : undefined;
  return hours > oldHours ? warning(check, last, remedy) : ok(check, last);
}
