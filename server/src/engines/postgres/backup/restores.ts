import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import type { DatabaseCopies, NamedObjects, RestoreTurn } from '../../../domain/backup/database-copies.ts';
import { ExchangeError } from '../../../domain/exchange-error.ts';
import { SetupError } from '../../../domain/setup-error.ts';
import { type Database, restoreSchema } from '../database.ts';
import { exclusively } from '../exclusively.ts';
import { installTools, readOutput, runTool } from './client-tools.ts';
import type { CopiesOptions } from './copies.ts';

/** A process that was just stopped, or a connection that we have just closed, is gone within this time. */
const goneWithinMs = 5_000;
const askAgainAfterMs = 100;
const namesPerFetch = 1_000;
/** The sessions of administration commands. */
const commandName = 'waybill admin';
/** The first ones are enough to see what is running. */
const namedSessions = 10;
/** A run without a number of objects is the last one: the row says how many of its objects may exist. */
const selectNames = `
  select id::text, max(objects)::integer as objects from (
    select coalesce((run ->> 'id')::uuid, stored.id) as id,
      coalesce((run ->> 'objects')::integer, stored.chunk_count) as objects
    from (
      select id, chunk_count, runs from files union all select id, chunk_count, runs from uploads
    ) as stored left join lateral jsonb_array_elements(runs) as run on true
  ) as named where objects > 0 group by named.id order by named.id`;
const mark = sql.table(`${restoreSchema}.mark`);

/** Everything that was in the database, and the mark that says that it is replaced, in the dump's own transaction. */
const replaceSchemas = `
  begin;
  set local lock_timeout = '30s';
  drop schema if exists graphile_worker cascade;
  drop schema public cascade;
  create schema public;
`;
const endReplacing = `
  update ${restoreSchema}.mark set is_replaced = true;
  commit;
`;

interface RestoresOptions extends CopiesOptions {
  withDatabase<Result>(work: (db: Database) => Promise<Result>): Promise<Result>;
}

type Restores = Pick<
  DatabaseCopies,
  'checkDump' | 'whileRestoring' | 'requireAlone' | 'replace' | 'namedObjects' | 'dayKeyObjects'
>;

export function restores({ url, openPool, withDatabase, ownSessions, toolPath: path }: RestoresOptions): Restores {
  /** pg_restore writes SQL, so that psql can run it in a transaction with statements of our own. */
  async function* statements(dump: AsyncIterable<Buffer>) {
    yield Buffer.from(replaceSchemas);
    yield* readOutput({
      tool: 'pg_restore',
      parameters: ['--no-owner', '--no-privileges', '--exit-on-error', '--file=-'],
      input: dump,
      path,
    });
    yield Buffer.from(endReplacing);
  }
  const readVersion = async (tool: string) => {
    const text = await runTool({ tool, parameters: ['--version'], path });
    return Number(/(\d+)(?:\.\d+)?/.exec(text)?.[1] ?? 0);
  };
  return {
    async checkDump(dump) {
      const server = await withDatabase(async (db) => {
        const { rows } = await sql<{ version: number }>`
          select current_setting('server_version_num')::integer / 10000 as version`.execute(db);
        return rows[0]?.version ?? 0;
      });
      for (const tool of ['pg_restore', 'psql']) {
        const version = await readVersion(tool);
        if (version >= server) continue;
        throw new SetupError(`${tool} has version ${version}, and the server has version ${server}. ${installTools}`);
      }
      await runTool({ tool: 'pg_restore', parameters: ['--list'], input: dump, path });
    },

    whileRestoring: (backup, work) =>
      withDatabase(async (db) => {
        // Without a mark first: the running system must not notice a restore that is refused.
        await requireAlone(db, ownSessions);
        const done = await exclusively(db, 'restore', async (signal) => ({
          result: await withDatabase((own) => markRestore(own, { backup, signal, ownSessions }, work)),
        }));
        if (done) return done.result;
        throw new ExchangeError('precondition_failed', 'Another restore is running. Wait until it has ended.');
      }),

    requireAlone: () => withDatabase((db) => requireAlone(db, ownSessions, commandName)),

    async replace(dump) {
      const parameters = ['--no-psqlrc', '--quiet', '--output=/dev/null', '--set=ON_ERROR_STOP=1'];
      await runTool({ tool: 'psql', parameters, databaseUrl: url, input: statements(dump), path });
    },

    async *namedObjects() {
      const pool = openPool();
      try {
        const client = await pool.connect();
        try {
          await client.query('begin read only');
          // It waits while objects are deleted.
          await client.query('set local idle_in_transaction_session_timeout = 0');
          await client.query(`declare named no scroll cursor for ${selectNames}`);
          for (;;) {
            const { rows } = await client.query<NamedObjects>(`fetch ${namesPerFetch} from named`);
            if (rows.length === 0) return;
            yield* rows;
          }
        } finally {
          client.release(true);
        }
      } finally {
        await pool.end();
      }
    },

    dayKeyObjects: () =>
      withDatabase(async (db) => {
        const { rows } = await sql<{ id: string }>`
          select object_id::text as id from day_keys union select id::text from day_key_objects`.execute(db);
        return rows.map(({ id }) => id);
      }),
  };
}

interface Marking {
  readonly backup: string;
  readonly signal: AbortSignal;
  readonly ownSessions: ReadonlySet<number> | undefined;
}

async function markRestore<Result>(
  db: Database,
  { backup, signal, ownSessions }: Marking,
  work: (turn: RestoreTurn) => Promise<Result>,
): Promise<Result> {
  const unfinished = await setMark(db, backup);
  try {
    // A process that connected before it could see the mark is in the list; no other one can connect any more.
    await requireAlone(db, ownSessions);
    const result = await work({ unfinished, signal });
    await removeMark(db);
    return result;
  } catch (error) {
    const isReplaced = await readMark(db);
    if (isReplaced === false) await removeMark(db);
    throw error;
  }
}

/** Returns what an earlier restore has left. */
async function setMark(db: Database, backup: string): Promise<RestoreTurn['unfinished']> {
  const isReplaced = await readMark(db);
  if (isReplaced !== undefined) {
    await sql`update ${mark} set backup = ${backup}`.execute(db);
    return isReplaced ? 'replaced' : 'begun';
  }
  await db.transaction().execute(async (tx) => {
    await sql`create schema ${sql.id(restoreSchema)}`.execute(tx);
    await sql`create table ${mark} (
      backup text not null, begun_at timestamptz not null default now(), is_replaced boolean not null default false
    )`.execute(tx);
    await sql`insert into ${mark} (backup) values (${backup})`.execute(tx);
  });
  return 'none';
}

/** Whether a restore that was begun has replaced the database; undefined if none was begun. */
async function readMark(db: Database): Promise<boolean | undefined> {
  const { rows } = await sql<{ exists: boolean }>`
    select to_regnamespace(${restoreSchema}) is not null as exists`.execute(db);
  if (!rows[0]?.exists) return undefined;
  const { rows: marks } = await sql<{ isReplaced: boolean }>`select is_replaced as "isReplaced" from ${mark}`.execute(
    db,
  );
  return marks[0]?.isReplaced ?? false;
}

async function removeMark(db: Database): Promise<void> {
  await sql`drop schema ${sql.id(restoreSchema)} cascade`.execute(db);
}

async function requireAlone(
  db: Database,
  ownSessions: ReadonlySet<number> | undefined,
  exceptName = '',
): Promise<void> {
  for (const deadline = performance.now() + goneWithinMs; ; await pause(askAgainAfterMs)) {
    // Those of a user, not the server's own. Parallel workers belong to a session that is listed as well.
    const { rows } = await sql<{ name: string; pid: number }>`
      select coalesce(nullif(application_name, ''), 'without a name') as name, pid from pg_stat_activity
      where datname = current_database() and usesysid is not null and pid <> all(${[...(ownSessions ?? [])]}::integer[])
        and pid <> pg_backend_pid() and application_name is distinct from ${exceptName || null}
      order by pid`.execute(db);
    if (rows.length === 0) return;
    if (performance.now() < deadline) continue;
    const named = rows.slice(0, namedSessions).map(({ name, pid }) => `${name} (process ${pid})`);
    const more = rows.length > named.length ? ', and others' : '';
    throw new ExchangeError(
      'precondition_failed',
      `The database is in use: it has ${rows.length} other ${rows.length === 1 ? 'session' : 'sessions'}, ${named.join(', ')}${more}. Stop all serve and work processes and other users of the database on every machine, and run the command again.`,
    );
  }
}
