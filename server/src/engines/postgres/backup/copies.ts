import { sql } from 'kysely';
import type pg from 'pg';
import type { DatabaseCopies, NamedDay, UsedMasterKey } from '../../../domain/backup/database-copies.ts';
import type { FilePosition } from '../../../domain/batch.ts';
import type { CheckedFile } from '../../../domain/files/scrub-store.ts';
import { type Database, openDatabase, restoreSchema } from '../database.ts';
import { endDrops } from '../drops/drops.ts';
import { scrubStore } from '../files/scrub.ts';
import { seemsUnheld } from '../is-held.ts';
import { readOutput } from './client-tools.ts';
import { restores } from './restores.ts';

const filesPerPage = 1_000;
const dumpOptions = ['--format=custom', '--no-owner', '--no-privileges'];

export interface CopiesOptions {
  readonly url: string;
  /** Opens connections without deadlines, which are closed when the work is done. */
  readonly openPool: () => pg.Pool;
  /** The sessions of this process, for a restore. */
  readonly ownSessions?: ReadonlySet<number>;
  /** Where PostgreSQL's client tools are, if not in the usual place. */
  readonly toolPath?: string;
}

export function databaseCopies(options: CopiesOptions): DatabaseCopies {
  const { url, toolPath: path } = options;
  const withDatabase = async <Result>(work: (db: Database) => Promise<Result>) => {
    const pool = options.openPool();
    try {
      return await work(openDatabase(pool));
    } finally {
      await pool.end();
    }
  };
  return {
    atOneMoment: (work) =>
      withDatabase((db) =>
        db
          .transaction()
          .setIsolationLevel('repeatable read')
          .setAccessMode('read only')
          .execute(async (tx) => {
            // It waits while pg_dump works.
            await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx);
            const { rows } = await sql<{ snapshot: string; takenAt: Date }>`
              select pg_export_snapshot() as snapshot, now() as "takenAt"`.execute(tx);
            const { snapshot, takenAt } = rows[0] as (typeof rows)[number];
            return work({
              takenAt,
              dump: () =>
                readOutput({
                  tool: 'pg_dump',
                  parameters: [...dumpOptions, `--snapshot=${snapshot}`],
                  databaseUrl: url,
                  path,
                }),
              files: () => storedFiles(tx),
              usedMasterKeys: () => listUsedMasterKeys(tx),
            });
          }),
      ),

    usedMasterKeys: () => withDatabase(listUsedMasterKeys),
    namedDays: () => withDatabase(listNamedDays),

    recordBackup: ({ id, takenAt, leftOut }) =>
      withDatabase(async (db) => {
        await sql`
          insert into last_backup (id, taken_at, left_out) values (${id}, ${takenAt}, ${leftOut})
          on conflict (is_only_row) do update set id = excluded.id, taken_at = excluded.taken_at,
            left_out = excluded.left_out, completed_at = now()
        `.execute(db);
      }),

    recordBackupFailure: () =>
      withDatabase(async (db) => {
        await sql`
          insert into last_backup_failure default values on conflict (is_only_row) do update set failed_at = now()
        `.execute(db);
      }),

    isEmpty: () =>
      withDatabase(async (db) => {
        const { rows } = await sql`
          select from pg_class join pg_namespace on pg_namespace.oid = relnamespace
          where nspname not in ('pg_catalog', 'information_schema', ${restoreSchema}) and nspname not like 'pg\\_toast%' limit 1
        `.execute(db);
        return rows.length === 0;
      }),

    ...restores({ ...options, withDatabase }),

    settleRestored: ({ abandonMessages }) =>
      withDatabase(async (db) => {
        // Transaction ids begin again, and what was read after the backup was made is not there. Later than every epoch
        // that an earlier restore began.
        await sql`update event_log set epoch = greatest(epoch + 1, floor(extract(epoch from now()))::bigint)`.execute(
          db,
        );
        // They are about the objects of a bucket as it was, and a pass in progress would not read the files before its position.
        for (const table of ['scrub', 'damaged_files', 'undeleted_objects'] as const)
          await db.deleteFrom(table).execute();
        const uploads = await db
          .updateTable('uploads')
          .set({ state: 'abandoned', wrapped_key: null, due_at: sql<Date>`now()` })
          .where('state', 'in', ['receiving', 'checking'])
          .executeTakeFirstOrThrow();
        if (abandonMessages === undefined) return { uploads: Number(uploads.numUpdatedRows), messages: 0 };
        await db.updateTable('webhook_deliveries').set({ state: 'abandoned' }).where('state', '=', 'waiting').execute();
        const messages = await db
          .updateTable('messages')
          .set({ state: 'abandoned', settled_at: sql<Date>`now()`, outcome: abandonMessages })
          .where('state', '=', 'waiting')
          .executeTakeFirstOrThrow();
        return { uploads: Number(uploads.numUpdatedRows), messages: Number(messages.numUpdatedRows) };
      }),

    endFilesOfDay: (day) =>
      withDatabase((db) =>
        db.transaction().execute(async (tx) => {
          await endDrops(
            tx,
            sql`select account_id, id from drops
              where ended_at is null and (account_id, id) in (
                select account_id, id from drops where key_day = ${day} and link_key is not null
                -- Each state has its own index.
                union all select account_id, drop_id from files where key_day = ${day} and state = 'ready'
                union all select account_id, drop_id from files where key_day = ${day} and state = 'held') for update`,
            sql`case when expires_at > now() then now() end`,
          );
          await sql`
            update files set state = 'deleting', wrapped_key = null, lease_until = now()
            where key_day = ${day} and wrapped_key is not null and state = 'ready' and drop_id is null
          `.execute(tx);
          await sql`
            update uploads set state = 'abandoned', wrapped_key = null, due_at = now()
            where key_day = ${day} and wrapped_key is not null
          `.execute(tx);
        }),
      ),

    endFiles: (files) =>
      withDatabase((db) =>
        db.transaction().execute(async (tx) => {
          const listed = sql`
            jsonb_to_recordset(${JSON.stringify(files)}::jsonb) as listed ("accountId" uuid, id uuid)
            join files on files.account_id = listed."accountId" and files.id = listed.id`;
          await endDrops(
            tx,
            sql`select account_id, id from drops
              where ended_at is null and (account_id, id) in (select files.account_id, drop_id from ${listed}) for update`,
            sql`case when expires_at > now() then now() end`,
          );
          await sql`
            update files set state = 'deleting', wrapped_key = null, lease_until = now()
            where state = 'ready' and drop_id is null
              and (account_id, id) in (select files.account_id, files.id from ${listed})
          `.execute(tx);
        }),
      ),
  };
}

async function* storedFiles(tx: Database): AsyncGenerator<CheckedFile, void, void> {
  const store = scrubStore(tx);
  const nil = '00000000-0000-0000-0000-000000000000';
  for (let position: FilePosition | undefined = { accountId: nil, id: nil }; position; ) {
    const { files, next } = await store.filesFrom(position, filesPerPage);
    yield* files;
    position = next;
  }
}

async function listUsedMasterKeys(db: Database): Promise<UsedMasterKey[]> {
  const { rows } = await sql<UsedMasterKey>`
    select key_version as version, count(*) filter (where is_day_key) as "dayKeys",
      count(*) filter (where not is_day_key) as "logKeys"
    from (select key_version, true as is_day_key from day_keys
      union all select key_version, false from evidence_keys where wrapped_key is not null) as used
    group by key_version order by key_version
  `.execute(db);
  return rows;
}

async function listNamedDays(db: Database): Promise<NamedDay[]> {
  const { rows } = await sql<NamedDay>`
    select day, sum(files)::bigint as files, bool_or(is_used) as "isUsed", bool_or(is_held) as "isHeld" from (
      select key_day as day, count(*) as files, true as is_used,
        bool_or(not (${seemsUnheld(sql`files.account_id`, sql`files.drop_id`)})) as is_held
      from files where wrapped_key is not null group by key_day
      union all
      select key_day, count(*), true, false from uploads where wrapped_key is not null group by key_day
      union all
      select key_day, 0, true, false from drops where link_key is not null group by key_day
      union all
      select day, 0, false, false from day_keys
    ) as named group by day order by day
  `.execute(db);
  return rows;
}
