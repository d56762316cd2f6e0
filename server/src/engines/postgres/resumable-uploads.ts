import { type RawBuilder, sql } from 'kysely';
import { checkUploadJob } from '../../domain/files/check-upload.ts';
import type { DeskFile, ResumableUploadStore } from '../../domain/ports.ts';
import type { Database } from './database.ts';
import { replaceStaged } from './files.ts';
import { runsColumn } from './sealed-file.ts';
import { secondsFromNow } from './time.ts';

/** Longer than a chunk can be on its way to the object store, with all that is tried again. */
const longestPutSeconds = 10 * 60;

export function resumableUploadStore(db: Database): ResumableUploadStore {
  const file = (accountId: string, id: string) =>
    db.updateTable('files').where('account_id', '=', accountId).where('id', '=', id);
  /** Only the writer that took over last; whoever it took over from finds nothing to change. */
  const written = (accountId: string, id: string, writer: string) =>
    file(accountId, id).where('state', '=', 'uploading').where('writer', '=', writer);
  const changed = async (query: { executeTakeFirstOrThrow(): Promise<{ numUpdatedRows: bigint }> }) =>
    (await query.executeTakeFirstOrThrow()).numUpdatedRows === 1n;

  return {
    async begin(accountId, intent, leaseSeconds) {
      await db
        .insertInto('files')
        .values({
          account_id: accountId,
          id: intent.id,
          state: 'uploading',
          draft: intent.draft,
          name: intent.name,
          media_type: intent.mediaType,
          size_bytes: intent.sizeBytes,
          wrapped_key: intent.wrappedKey,
          key_version: intent.keyVersion,
          writer: intent.writer,
          lease_until: secondsFromNow(leaseSeconds),
        })
        .execute();
    },

    takeOver: (accountId, draft, id, writer, leaseSeconds) =>
      file(accountId, id)
        .set({
          writer,
          // Never earlier: whoever it is taken over from may have a chunk on its way.
          lease_until: sql`case state when 'uploading' then greatest(lease_until, ${secondsFromNow(leaseSeconds)})
            else lease_until end`,
        })
        .where('draft', '=', draft)
        .where('drop_id', 'is', null)
        .where('writer', 'is not', null)
        .where('wrapped_key', 'is not', null)
        .returning([
          'id',
          'name',
          'media_type as mediaType',
          'size_bytes as sizeBytes',
          'received_bytes as receivedBytes',
          sql<boolean>`state <> 'uploading'`.as('received'),
          'chunk_count as chunkCount',
          runsColumn,
          'wrapped_key as wrappedKey',
          'key_version as keyVersion',
        ])
        .$narrowType<{ sizeBytes: number; wrappedKey: Buffer }>()
        .executeTakeFirst(),

    beginRun: (accountId, id, writer, runs, first) =>
      changed(written(accountId, id, writer).set({ runs: JSON.stringify(runs), chunk_count: first })),

    claimChunk: (accountId, id, writer, chunk, leaseSeconds) =>
      changed(
        written(accountId, id, writer).set({
          chunk_count: chunk + 1,
          lease_until: secondsFromNow(Math.max(leaseSeconds, longestPutSeconds)),
        }),
      ),

    async commitChunk(accountId, id, writer, receivedBytes) {
      const { rows } = await sql<{ state: string }>`
        with committed as (
          update files set received_bytes = ${receivedBytes}::bigint,
            state = case when size_bytes = ${receivedBytes}::bigint then 'received'::file_state else state end,
            lease_until = case when size_bytes = ${receivedBytes}::bigint then now() else lease_until end
          where account_id = ${accountId} and id = ${id} and state = 'uploading' and writer = ${writer}
          returning account_id, id, state
        )
        select state, case when state = 'received' then ${alarm()} end from committed
      `.execute(db);
      return rows.length === 1;
    },

    desk: (accountId, draft) =>
      db
        .selectFrom('files')
        .select(['id', 'name', 'size_bytes as sizeBytes'])
        .select(sql<number>`case state when 'ready' then size_bytes else received_bytes end`.as('receivedBytes'))
        .select(
          sql<DeskFile['state']>`case when refusal is not null then 'refused'
            when state = 'received' then 'checking' else state::text end`.as('state'),
        )
        .where('account_id', '=', accountId)
        .where('draft', '=', draft)
        .where('drop_id', 'is', null)
        .where('size_bytes', 'is not', null)
        .where(sql<boolean>`(state in ('uploading', 'received', 'ready') or refusal is not null)`)
        .orderBy('created_at')
        .orderBy('id')
        .$narrowType<{ sizeBytes: number }>()
        .execute(),

    remove: (accountId, draft, id) =>
      changed(
        file(accountId, id)
          // What was refused has had its key destroyed already; it only leaves the list.
          .set({ state: 'deleting', wrapped_key: null, writer: null, refusal: null })
          // A chunk on its way would be nobody's if it were stored after the sweep.
          .set({
            lease_until: sql<Date>`case when state in ('uploading', 'received')
              then ${secondsFromNow(longestPutSeconds)} else now() end`,
          })
          .where('draft', '=', draft)
          .where('drop_id', 'is', null)
          .where(sql<boolean>`(state in ('uploading', 'received', 'ready') or refusal is not null)`),
      ),

    takeForCheck: (accountId, id, leaseSeconds) =>
      file(accountId, id)
        .set({ lease_until: secondsFromNow(leaseSeconds) })
        .where('state', '=', 'received')
        .where('lease_until', '<=', sql<Date>`now()`)
        .returning([
          'account_id as accountId',
          'id',
          'draft',
          'size_bytes as sizeBytes',
          'wrapped_key as wrappedKey',
          'key_version as keyVersion',
          runsColumn,
        ])
        .$narrowType<{ sizeBytes: number; wrappedKey: Buffer }>()
        .executeTakeFirst(),

    holdForCheck: (accountId, id, leaseSeconds) =>
      changed(
        file(accountId, id)
          .set({ lease_until: secondsFromNow(leaseSeconds) })
          .where('state', '=', 'received'),
      ),

    async accept(accountId, checked) {
      // Held from here on: what was removed, or accepted by another check, must not take another file's place.
      const held = await db
        .selectFrom('files')
        .select('id')
        .where('account_id', '=', accountId)
        .where('id', '=', checked.id)
        .where('state', '=', 'received')
        .forUpdate()
        .executeTakeFirst();
      if (!held) return false;
      await replaceStaged(db, accountId, checked.id);
      return changed(
        file(accountId, checked.id)
          .set({ state: 'ready', sha256: checked.sha256, scan: checked.scan, lease_until: null })
          .where('state', '=', 'received'),
      );
    },

    async refuse(accountId, id, refusal) {
      await file(accountId, id)
        // A chunk of an earlier writer may still be on its way, as in `remove`.
        .set({ state: 'deleting', wrapped_key: null, refusal, lease_until: secondsFromNow(longestPutSeconds) })
        .where('state', '=', 'received')
        .execute();
    },

    async wakeOverdue(overdueSeconds, count) {
      const { rows } = await sql`
        with overdue as (
          select account_id, id from files
          where state = 'received' and lease_until < now() - make_interval(secs => ${overdueSeconds})
          order by lease_until limit ${count}
        )
        select ${alarm('preserve_run_at')} from overdue
      `.execute(db);
      return rows.length;
    },
  };
}

/** The job that checks a received upload; one a file, however often it is set. */
function alarm(keyMode: 'replace' | 'preserve_run_at' = 'replace'): RawBuilder<unknown> {
  return sql`graphile_worker.add_job(
    ${checkUploadJob},
    json_build_object('accountId', account_id, 'fileId', id),
    max_attempts := 1, job_key := 'check:' || id::text, job_key_mode := ${keyMode})`;
}
