import { type RawBuilder, sql } from 'kysely';
import type {
  ChunkRun,
  CompleteUpload,
  Deletion,
  DeskFile,
  UploadStore,
  UploadWriter,
} from '../../domain/ports/index.ts';
import { checkUploadJob } from '../../domain/uploads/check-upload.ts';
import type { Database } from './database.ts';
import { remainingObjects } from './remaining-objects.ts';
import { secondsFromNow } from './time.ts';

/** Longer than an object can be on its way to the store: what is stored after the sweep would be nobody's. */
export const longestPutSeconds = 10 * 60;
const runsColumn = sql<ChunkRun[]>`uploads.runs`.as('runs');

export function uploadStore(db: Database): UploadStore {
  const upload = (accountId: string, id: string) =>
    db.updateTable('uploads').where('account_id', '=', accountId).where('id', '=', id);
  /** Only the writer that took over last; the one before it finds nothing to change. */
  const written = ({ accountId, id, writer }: UploadWriter) =>
    upload(accountId, id).where('state', '=', 'receiving').where('writer', '=', writer);
  const changed = async (query: { executeTakeFirstOrThrow(): Promise<{ numUpdatedRows: bigint }> }) =>
    (await query.executeTakeFirstOrThrow()).numUpdatedRows === 1n;
  /** Its key is destroyed; its objects are unreadable from now on. */
  const givenUp = {
    state: 'given_up',
    wrapped_key: null,
    refusal: null,
    due_at: secondsFromNow(longestPutSeconds),
  } as const;

  /** Turns an upload into a file. The caller holds the draft's lock. */
  const becomeFile = async (accountId: string, id: string, complete: CompleteUpload, isStill: RawBuilder<boolean>) => {
    // Held from here on: what was removed, or completed by somebody else, must not take another file's place.
    const { rows } = await sql`
      select from uploads where account_id = ${accountId} and id = ${id} and ${isStill} for update
    `.execute(db);
    if (rows.length === 0) return false;
    await sql`
      update files as old set state = 'deleting', wrapped_key = null, lease_until = now()
      from uploads as new
      where new.account_id = ${accountId} and new.id = ${id}
        and old.account_id = new.account_id and old.draft = new.draft and old.name = new.name
        and old.state = 'ready' and old.drop_id is null
    `.execute(db);
    await sql`
      with complete as (
        delete from uploads where account_id = ${accountId} and id = ${id} returning *
      )
      insert into files (account_id, id, state, draft, name, media_type, size_bytes, sha256, scan, runs, chunk_count,
        wrapped_key, key_version, created_at)
      select account_id, id, 'ready', draft, name, media_type, ${complete.sizeBytes}, ${complete.sha256}, ${complete.scan},
        ${JSON.stringify(complete.runs)}::jsonb, ${complete.chunkCount}, wrapped_key, key_version, created_at
      from complete
    `.execute(db);
    return true;
  };

  return {
    async begin(
      { accountId, id, writer },
      { draft, name, mediaType, sizeBytes, wrappedKey, keyVersion, chunkCount },
      leaseSeconds,
    ) {
      await db
        .insertInto('uploads')
        .values({
          account_id: accountId,
          id,
          writer,
          draft,
          name,
          media_type: mediaType,
          size_bytes: sizeBytes,
          wrapped_key: wrappedKey,
          key_version: keyVersion,
          chunk_count: chunkCount,
          due_at: secondsFromNow(leaseSeconds),
        })
        .execute();
    },

    takeOver: ({ accountId, id, writer }, draft, leaseSeconds) =>
      upload(accountId, id)
        .set({
          writer,
          due_at: sql`case state when 'receiving' then greatest(due_at, ${secondsFromNow(leaseSeconds)}) else due_at end`,
        })
        .where('draft', '=', draft)
        .where('state', 'in', ['receiving', 'checking'])
        .returning([
          'id',
          'name',
          'media_type as mediaType',
          'size_bytes as sizeBytes',
          'received_bytes as receivedBytes',
          sql<boolean>`state = 'checking'`.as('received'),
          runsColumn,
          'chunk_count as chunkCount',
          'wrapped_key as wrappedKey',
          'key_version as keyVersion',
        ])
        .$narrowType<{ wrappedKey: Buffer }>()
        .executeTakeFirst(),

    async renew(writers, leaseSeconds) {
      const { rows } = await sql<{ id: string }>`
        update uploads set due_at = greatest(due_at, ${secondsFromNow(leaseSeconds)})
        from jsonb_to_recordset(${JSON.stringify(writers)}::jsonb) as held ("accountId" uuid, id uuid, writer uuid)
        where uploads.account_id = held."accountId" and uploads.id = held.id and uploads.writer = held.writer
          and uploads.state = 'receiving'
        returning uploads.id
      `.execute(db);
      return new Set(rows.map(({ id }) => id));
    },

    claim: (writer, chunkCount) => changed(written(writer).set({ chunk_count: chunkCount })),

    beginRun: (writer, runs, chunkCount) =>
      changed(written(writer).set({ runs: JSON.stringify(runs), chunk_count: chunkCount })),

    commit: (writer, receivedBytes) => changed(written(writer).set({ received_bytes: receivedBytes })),

    async requestCheck({ accountId, id, writer }) {
      const { rows } = await sql`
        with received as (
          update uploads set state = 'checking', due_at = now()
          where account_id = ${accountId} and id = ${id} and state = 'receiving' and writer = ${writer}
          returning account_id, id
        )
        select ${alarm()} from received
      `.execute(db);
      return rows.length === 1;
    },

    complete: ({ accountId, id, writer }, complete) =>
      becomeFile(accountId, id, complete, sql<boolean>`state = 'receiving' and writer = ${writer}`),

    async giveUp(writer) {
      await written(writer).set(givenUp).execute();
    },

    async expire(count) {
      const { rows } = await sql`
        with expired as (
          select account_id, id from uploads
          where state = 'receiving' and due_at <= now()
          order by due_at limit ${sql.lit(count)} for update skip locked
        )
        update uploads set state = 'given_up', wrapped_key = null, due_at = ${secondsFromNow(longestPutSeconds)}
        from expired
        where uploads.account_id = expired.account_id and uploads.id = expired.id
        returning 1
      `.execute(db);
      return rows.length;
    },

    async desk(accountId, draft) {
      const { rows } = await sql<DeskFile>`
        select id, name, size_bytes as "sizeBytes", received_bytes as "receivedBytes", state, created_at
        from (
          select id, name, size_bytes, received_bytes, created_at,
            case state when 'receiving' then 'uploading' else state::text end as state
          from uploads
          where account_id = ${accountId} and draft = ${draft} and state <> 'given_up' and size_bytes is not null
          union all
          select id, name, size_bytes, size_bytes, created_at, 'ready'
          from files
          where account_id = ${accountId} and draft = ${draft} and state = 'ready' and drop_id is null
        ) as desk
        order by created_at, id
      `.execute(db);
      return rows.map(({ id, name, sizeBytes, receivedBytes, state }) => ({
        id,
        name,
        sizeBytes,
        receivedBytes,
        state,
      }));
    },

    async bytesThrough({ accountId, dropId, position }, draft) {
      const { rows } = await sql<{ bytes: number }>`
        select (
          (select coalesce(sum(size_bytes), 0) from uploads
           where account_id = ${accountId} and draft = ${draft} and state in ('receiving', 'checking')) +
          (select coalesce(sum(size_bytes), 0) from files
           where account_id = ${accountId} and draft = ${draft} and state = 'ready' and drop_id is null) +
          (select coalesce(sum(files.size_bytes), 0) from drops
           join files on files.account_id = drops.account_id and files.drop_id = drops.id
           where drops.account_id = ${accountId} and drops.from_drop_id = ${dropId} and drops.from_position = ${position})
        )::bigint as bytes
      `.execute(db);
      return rows[0]?.bytes ?? 0;
    },

    async remove(accountId, draft, id) {
      const removed = await changed(
        upload(accountId, id).set(givenUp).where('draft', '=', draft).where('state', '<>', 'given_up'),
      );
      return (
        removed ||
        (await changed(
          db
            .updateTable('files')
            .set({ state: 'deleting', wrapped_key: null, lease_until: sql<Date>`now()` })
            .where('account_id', '=', accountId)
            .where('id', '=', id)
            .where('draft', '=', draft)
            .where('state', '=', 'ready')
            .where('drop_id', 'is', null),
        ))
      );
    },

    takeForCheck: (accountId, id, leaseSeconds) =>
      upload(accountId, id)
        .set(({ eb }) => ({ due_at: secondsFromNow(leaseSeconds), checks: eb('checks', '+', 1) }))
        .where('state', '=', 'checking')
        .where('due_at', '<=', sql<Date>`now()`)
        .returning(['account_id as accountId', 'id', 'draft', 'size_bytes as sizeBytes', 'wrapped_key as wrappedKey'])
        .returning(['key_version as keyVersion', runsColumn, 'chunk_count as chunkCount', 'checks'])
        .$narrowType<{ sizeBytes: number; wrappedKey: Buffer }>()
        .executeTakeFirst(),

    holdForCheck: (accountId, id, leaseSeconds) =>
      changed(
        upload(accountId, id)
          .set({ due_at: secondsFromNow(leaseSeconds) })
          .where('state', '=', 'checking'),
      ),

    async retryCheck(accountId, id, { checks, pauseSeconds }) {
      await sql`
        with postponed as (
          update uploads set due_at = ${secondsFromNow(pauseSeconds)}, checks = ${checks}
          where account_id = ${accountId} and id = ${id} and state = 'checking'
          returning account_id, id, due_at
        )
        select ${alarm(sql`due_at`)} from postponed
      `.execute(db);
    },

    accept: (accountId, id, complete) => becomeFile(accountId, id, complete, sql<boolean>`state = 'checking'`),

    async refuse(accountId, id, refusal) {
      await upload(accountId, id)
        .set({ ...givenUp, state: 'refused', refusal })
        .where('state', '=', 'checking')
        .execute();
    },

    async wakeOverdue(overdueSeconds, count) {
      const { rows } = await sql`
        with overdue as (
          select account_id, id from uploads
          where state = 'checking' and due_at < now() - make_interval(secs => ${overdueSeconds})
          order by due_at limit ${sql.lit(count)}
        )
        select ${alarm(sql`now()`, 'preserve_run_at')} from overdue
      `.execute(db);
      return rows.length;
    },

    async takeDeletions(count, leaseSeconds) {
      const { rows } = await sql<Deletion>`
        with due as (
          select account_id, id from uploads
          where state in ('refused', 'given_up') and due_at <= now()
          order by due_at limit ${sql.lit(count)} for update skip locked
        )
        update uploads set due_at = ${secondsFromNow(leaseSeconds)} from due
        where uploads.account_id = due.account_id and uploads.id = due.id
        returning uploads.account_id as "accountId", uploads.id, chunk_count as "chunkCount", runs
      `.execute(db);
      return rows;
    },

    async settleDeletions(deletions) {
      const { rest, isDone } = remainingObjects(deletions);
      const isSame = sql`uploads.account_id = rest."accountId" and uploads.id = rest.id`;
      // A refusal stays on view until the contact removes it.
      const isRemoved = sql`(${isDone} and state = 'given_up')`;
      // One statement: between two, another sweep would take a row that is about to be removed.
      await sql`
        with removed as (delete from uploads using ${rest} where ${isSame} and ${isRemoved})
        update uploads set chunk_count = rest."chunkCount", runs = rest.runs,
          due_at = case when ${isDone} then null else now() end
        from ${rest} where ${isSame} and not ${isRemoved}
      `.execute(db);
    },
  };
}

/** The job that checks an upload; one per upload, however often it is set. */
function alarm(
  at: RawBuilder<unknown> = sql`now()`,
  keyMode: 'replace' | 'preserve_run_at' = 'replace',
): RawBuilder<unknown> {
  return sql`graphile_worker.add_job(
    ${checkUploadJob},
    json_build_object('accountId', account_id, 'fileId', id),
    run_at := ${at}, max_attempts := 1, job_key := 'check:' || id::text, job_key_mode := ${keyMode})`;
}
