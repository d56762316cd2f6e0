import { type RawBuilder, sql } from 'kysely';
import { freeName } from '../../../domain/files/file-name.ts';
import type { ChunkRun, Deletion } from '../../../domain/files/file-store.ts';
import { uploadDraftPrefix } from '../../../domain/uploads/account-upload.ts';
import { checkUploadJob } from '../../../domain/uploads/check-upload.ts';
import type {
  AccountUpload,
  CompleteUpload,
  DeclaredDigests,
  DraftFile,
  UploadStore,
  UploadWriter,
} from '../../../domain/uploads/upload-store.ts';
import { bindStatements, type Database } from '../database.ts';
import { jobAttempts, jobPayload, type Schedule, type Traceparent } from '../jobs/job-payload.ts';
import { maxPageRows } from '../search.ts';
import { secondsFromNow } from '../time.ts';
import { remainingObjects } from './remaining-objects.ts';

/** Longer than an object can be on the way to the store: an object stored after the sweep would never be deleted. */
export const longestPutSeconds = 10 * 60;
/** The writer of an upload that has none. */
const noWriter = '00000000-0000-0000-0000-000000000000';
const digestColumns = ['declared_sha256 as declaredSha256', 'declared_sha512 as declaredSha512'] as const;
const runsColumn = sql<ChunkRun[]>`uploads.runs`.as('runs');

const stateOfUpload = sql`case uploads.state when 'receiving' then 'uploading' else uploads.state::text end`;
/** The account's uploads that are no files yet, and those that are, to which conditions are added. */
const unfinished = sql`
  select uploads.id, uploads.name, coalesce(path, uploads.name) as path, media_type as "mediaType",
    size_bytes as "sizeBytes", received_bytes as "receivedBytes", ${stateOfUpload} as state, refusal,
    null::bytea as sha256, null::text as scan, null::text as "unscannedReason", created_at as "createdAt",
    case state when 'receiving' then due_at end as "resumableUntil", touched_at as "unusedSince"
  from uploads join drafts on drafts.account_id = uploads.account_id and drafts.name = uploads.draft
  where state <> 'abandoned' and size_bytes is not null`;
const finished = sql`
  select files.id, files.name, coalesce(path, files.name) as path, media_type as "mediaType", size_bytes as "sizeBytes",
    size_bytes as "receivedBytes", 'ready' as state, null as refusal, sha256, scan::text, unscanned_reason as "unscannedReason",
    created_at as "createdAt", null::timestamptz as "resumableUntil", touched_at as "unusedSince"
  from files join drafts on drafts.account_id = files.account_id and drafts.name = files.draft
  where state = 'ready' and drop_id is null`;

export function uploadStore(db: Database, traceparent: Traceparent): UploadStore {
  const { readRows, run } = bindStatements(db);
  const alarm = (...schedule: Schedule) => alarmJob(traceparent(), ...schedule);
  const upload = (accountId: string, id: string) =>
    db.updateTable('uploads').where('account_id', '=', accountId).where('id', '=', id);
  /** Matches only the writer that took over last; the previous one finds nothing to change. */
  const written = ({ accountId, id, writer }: UploadWriter) =>
    upload(accountId, id).where('state', '=', 'receiving').where('writer', '=', writer);
  const changed = async (query: { executeTakeFirstOrThrow(): Promise<{ numUpdatedRows: bigint }> }) =>
    (await query.executeTakeFirstOrThrow()).numUpdatedRows === 1n;
  const atLeast = (bytes: number) => sql<number>`greatest(reserved_bytes, ${bytes})`;
  /** The columns of an abandoned upload: its key is destroyed, so its objects are unreadable from now on. */
  const abandoned = {
    state: 'abandoned',
    wrapped_key: null,
    refusal: null,
    due_at: secondsFromNow(longestPutSeconds),
  } as const;

  /** Turns an upload into a file. The caller holds the draft's lock. */
  const becomeFile = async (accountId: string, id: string, complete: CompleteUpload, isStill: RawBuilder<boolean>) => {
    // Locked from here on: an upload that was removed, or completed by another request, must not replace another file.
    const { rows } = await sql<{ draft: string; name: string; path: string }>`
      select draft, name, coalesce(path, name) as path from uploads
      where account_id = ${accountId} and id = ${id} and ${isStill} for update
    `.execute(db);
    const [announced] = rows;
    if (!announced) return false;
    const staged = sql`account_id = ${accountId} and draft = ${announced.draft} and state = 'ready' and drop_id is null`;
    await sql`
      update files set state = 'deleting', wrapped_key = null, lease_until = now()
      where ${staged} and coalesce(path, name) = ${announced.path}
    `.execute(db);
    const { rows: others } = await sql<{ name: string }>`
      select name from files where ${staged} and exists (select from files where ${staged} and name = ${announced.name})
    `.execute(db);
    const name = freeName(announced.name, new Set(others.map((other) => other.name)));
    await sql`
      with complete as (
        delete from uploads where account_id = ${accountId} and id = ${id} returning *
      )
      insert into files (account_id, id, state, draft, name, path, media_type, size_bytes, sha256, crc32, scan,
        unscanned_reason, runs, chunk_count, wrapped_key, key_day, created_at)
      select account_id, id, 'ready', draft, ${name}, ${announced.path === name ? null : announced.path}, media_type,
        ${complete.sizeBytes}, ${complete.sha256}, ${complete.crc32}, ${complete.scan}, ${complete.unscannedReason},
        ${JSON.stringify(complete.runs)}::jsonb, ${complete.chunkCount}, wrapped_key, key_day, created_at
      from complete
    `.execute(db);
    return true;
  };

  return {
    async begin(
      { accountId, id, writer },
      {
        draft,
        keyId,
        personId,
        name,
        path,
        mediaType,
        sizeBytes,
        wrappedKey,
        keyDay,
        chunkCount,
        reservedBytes,
        maxStoredBytes,
        declared,
      },
      leaseSeconds,
    ) {
      await db
        .insertInto('uploads')
        .values({
          account_id: accountId,
          id,
          writer: writer ?? noWriter,
          draft,
          key_id: keyId,
          person_id: personId,
          name,
          path,
          media_type: mediaType,
          size_bytes: sizeBytes,
          wrapped_key: wrappedKey,
          key_day: keyDay,
          chunk_count: chunkCount,
          reserved_bytes: reservedBytes,
          max_stored_bytes: maxStoredBytes,
          ...declaredColumns(declared),
          due_at: secondsFromNow(leaseSeconds),
        })
        .execute();
    },

    takeOver: async ({ accountId, id, writer }, draft, leaseSeconds) => {
      const taken = await upload(accountId, id)
        .set({
          writer: writer ?? noWriter,
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
          'key_day as keyDay',
          ...digestColumns,
        ])
        .$narrowType<{ wrappedKey: Buffer }>()
        .executeTakeFirst();
      return taken && withDigests(taken);
    },

    async storedByWriter(accountId, draft, id) {
      const row = await db
        .selectFrom('uploads')
        .select('received_bytes as receivedBytes')
        .where('account_id', '=', accountId)
        .where('id', '=', id)
        .where('draft', '=', draft)
        .where('state', '=', 'receiving')
        .where('writer', '<>', noWriter)
        .executeTakeFirst();
      return row?.receivedBytes;
    },

    async leave(writer) {
      await written(writer).set({ writer: noWriter }).execute();
    },

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

    claim: (writer, chunkCount, reservedBytes) =>
      changed(written(writer).set({ chunk_count: chunkCount, reserved_bytes: atLeast(reservedBytes) })),

    beginRun: (writer, runs, chunkCount, reservedBytes) =>
      changed(
        written(writer).set({
          runs: JSON.stringify(runs),
          chunk_count: chunkCount,
          reserved_bytes: atLeast(reservedBytes),
        }),
      ),

    declare: (writer, declared) => changed(written(writer).set(declaredColumns(declared))),

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

    lock: (accountId, ids) => run`
        select from uploads where account_id = ${accountId} and id = any(${ids}::uuid[]) order by id for update
      `,

    complete: ({ accountId, id, writer }, complete) =>
      becomeFile(accountId, id, complete, sql<boolean>`state = 'receiving' and writer = ${writer}`),

    async abandon(writer) {
      await written(writer).set(abandoned).execute();
    },

    async expire(count) {
      const { rows } = await sql`
        with expired as (
          select account_id, id from uploads
          where state = 'receiving' and due_at <= now()
          order by due_at limit ${sql.lit(count)} for update skip locked
        )
        update uploads set state = 'abandoned', wrapped_key = null, due_at = ${secondsFromNow(longestPutSeconds)}
        from expired
        where uploads.account_id = expired.account_id and uploads.id = expired.id
        returning 1
      `.execute(db);
      return rows.length;
    },

    listDraftFiles: (accountId, draft) => readRows<DraftFile>`
        select id, name, coalesce(path, name) as path, size_bytes as "sizeBytes", received_bytes as "receivedBytes", state, scan,
          unscanned_reason as "unscannedReason", refusal
        from (
          select id, name, path, size_bytes, received_bytes, created_at,
            case state when 'receiving' then 'uploading' else state::text end as state, null as scan,
            null as unscanned_reason, refusal
          from uploads
          where account_id = ${accountId} and draft = ${draft} and state <> 'abandoned' and size_bytes is not null
          union all
          select id, name, path, size_bytes, size_bytes, created_at, 'ready', scan, unscanned_reason, null
          from files
          where account_id = ${accountId} and draft = ${draft} and state = 'ready' and drop_id is null
        ) as draft_file
        order by created_at, id
      `,

    async page(accountId, state, after, count) {
      const isListed = (table: 'files' | 'uploads') => {
        const [account, id, draft] = ['account_id', 'id', 'draft'].map((column) => sql.ref(`${table}.${column}`));
        const isAfter = after === undefined ? sql`true` : sql`${id} < ${after}::uuid`;
        return sql`${account} = ${accountId} and ${draft} = ${uploadDraftPrefix}::text || ${id} and ${isAfter}`;
      };
      const isInState = state === undefined ? sql`true` : sql`${stateOfUpload} = ${state}`;
      const next = (table: 'files' | 'uploads') =>
        sql`order by ${sql.ref(`${table}.id`)} desc limit ${sql.lit(maxPageRows)}`;
      const parts = [
        ...(state === 'ready'
          ? []
          : [sql`(${unfinished} and ${isListed('uploads')} and ${isInState} ${next('uploads')})`]),
        ...(state === undefined || state === 'ready'
          ? [sql`(${finished} and ${isListed('files')} ${next('files')})`]
          : []),
      ];
      return readRows<AccountUpload>`
        select * from (${sql.join(parts, sql` union all `)}) as upload order by id desc limit ${count}
      `;
    },

    async inDrafts(accountId, ids, drafts, { lock } = { lock: false }) {
      const isWanted = (table: 'files' | 'uploads') => {
        const [account, id, draft] = ['account_id', 'id', 'draft'].map((column) => sql.ref(`${table}.${column}`));
        return sql`${account} = ${accountId} and ${id} = any(${ids}::uuid[]) and ${draft} = any(${drafts}::text[])`;
      };
      if (lock) await sql`select from files where ${isWanted('files')} order by id for update`.execute(db);
      return readRows<AccountUpload>`
        ${unfinished} and ${isWanted('uploads')} union all ${finished} and ${isWanted('files')}
      `;
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
           where drops.account_id = ${accountId} and drops.request_id = ${dropId} and drops.request_position = ${position})
        )::bigint as bytes
      `.execute(db);
      return rows[0]?.bytes ?? 0;
    },

    async remove(accountId, draft, id) {
      const removed = await changed(
        upload(accountId, id).set(abandoned).where('draft', '=', draft).where('state', '<>', 'abandoned'),
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

    acquireForCheck: async (accountId, id, leaseSeconds) => {
      const taken = await upload(accountId, id)
        .set(({ eb }) => ({ due_at: secondsFromNow(leaseSeconds), checks: eb('checks', '+', 1) }))
        .where('state', '=', 'checking')
        .where('due_at', '<=', sql<Date>`now()`)
        .returning([
          'account_id as accountId',
          'id',
          'draft',
          'key_id as keyId',
          'person_id as personId',
          'size_bytes as sizeBytes',
        ])
        .returning([
          'wrapped_key as wrappedKey',
          'key_day as keyDay',
          runsColumn,
          'chunk_count as chunkCount',
          'checks',
          ...digestColumns,
        ])
        .$narrowType<{ sizeBytes: number; wrappedKey: Buffer }>()
        .executeTakeFirst();
      return taken && withDigests(taken);
    },

    holdForCheck: (accountId, id, leaseSeconds) =>
      changed(
        upload(accountId, id)
          .set({ due_at: secondsFromNow(leaseSeconds) })
          .where('state', '=', 'checking'),
      ),

    retryCheck: (accountId, id, { checks, pauseSeconds }) => run`
        with postponed as (
          update uploads set due_at = ${secondsFromNow(pauseSeconds)}, checks = ${checks}
          where account_id = ${accountId} and id = ${id} and state = 'checking'
          returning account_id, id, due_at
        )
        select ${alarm(sql`due_at`)} from postponed
      `,

    accept: (accountId, id, complete) => becomeFile(accountId, id, complete, sql<boolean>`state = 'checking'`),

    async refuse(accountId, id, refusal) {
      await upload(accountId, id)
        .set({ ...abandoned, state: 'refused', refusal })
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

    takeDeletions: (count, leaseSeconds) => readRows<Deletion>`
        with due as (
          select account_id, id from uploads
          where state in ('refused', 'abandoned') and due_at <= now()
          order by due_at limit ${sql.lit(count)} for update skip locked
        )
        update uploads set due_at = ${secondsFromNow(leaseSeconds)} from due
        where uploads.account_id = due.account_id and uploads.id = due.id
        returning uploads.account_id as "accountId", uploads.id, chunk_count as "chunkCount", runs
      `,

    async settleDeletions(deletions) {
      const { rest, isDone } = remainingObjects(deletions);
      const isSame = sql`uploads.account_id = rest."accountId" and uploads.id = rest.id`;
      // A refused file stays visible until the contact removes it.
      const isRemoved = sql`(${isDone} and state = 'abandoned')`;
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

function declaredColumns({ sha256, sha512 }: DeclaredDigests) {
  return { declared_sha256: sha256, declared_sha512: sha512 };
}

function withDigests<Row extends { declaredSha256: Buffer | null; declaredSha512: Buffer | null }>(row: Row) {
  const { declaredSha256: sha256, declaredSha512: sha512, ...rest } = row;
  return { ...rest, declared: { sha256, sha512 } };
}

/** The job that checks an upload: one per upload, however often it is set. */
function alarmJob(
  traceparent: string | undefined,
  ...[at = sql`now()`, keyMode = 'replace']: Schedule
): RawBuilder<unknown> {
  return sql`graphile_worker.add_job(
    ${checkUploadJob},
    ${jobPayload(sql`'accountId', account_id, 'fileId', id`, traceparent)},
    run_at := ${at}, max_attempts := ${jobAttempts}, job_key := 'check:' || id::text, job_key_mode := ${keyMode})`;
}
