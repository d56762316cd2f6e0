import type { EvidenceFile } from '@waybill/evidence';
import { sql } from 'kysely';
import type { Deletion, FileStore, UndeletedObjectStore } from '../../../domain/files/file-store.ts';
import { segmentsPerChunk } from '../../../domain/files/sealing.ts';
import { bindStatements, type Database } from '../database.ts';
import { secondsFromNow } from '../time.ts';
import { remainingObjects } from './remaining-objects.ts';
import { evidenceFile, type ReadyFile, sealedFileColumns } from './sealed-file.ts';

/** A file is deleted by destroying its wrapped key; its objects are unreadable from then on. */
const deletion = { state: 'deleting', wrapped_key: null, lease_until: sql<Date>`now()` } as const;

export function fileStore(db: Database): FileStore {
  const { readRows, run } = bindStatements(db);
  return {
    async staged(accountId, draft) {
      return db
        .selectFrom('files')
        .select(['name', 'media_type as mediaType', 'size_bytes as sizeBytes', 'sha256'])
        .where('account_id', '=', accountId)
        .where('draft', '=', draft)
        .where('state', '=', 'ready')
        .where('drop_id', 'is', null)
        .orderBy('created_at')
        .orderBy('id')
        .execute();
    },

    async isStored(accountId, id) {
      const stored = await db
        .selectFrom('files')
        .select('id')
        .where('account_id', '=', accountId)
        .where('id', '=', id)
        .where('state', 'in', ['ready', 'held'])
        .executeTakeFirst();
      return stored !== undefined;
    },

    async countStaged(accountId, draft) {
      const { staged } = await db
        .selectFrom('files')
        .select(({ fn }) => fn.countAll<number>().as('staged'))
        .where('account_id', '=', accountId)
        .where('draft', '=', draft)
        .where('state', '=', 'ready')
        .where('drop_id', 'is', null)
        .executeTakeFirstOrThrow();
      return staged;
    },

    async removeStaged(accountId, draft, name) {
      const { numUpdatedRows } = await db
        .updateTable('files')
        .set(deletion)
        .where('account_id', '=', accountId)
        .where('draft', '=', draft)
        .where('name', '=', name)
        .where('state', '=', 'ready')
        .where('drop_id', 'is', null)
        .executeTakeFirstOrThrow();
      return numUpdatedRows === 1n;
    },

    async moveToDrop(accountId, draft, dropId) {
      const { rows } = await sql<{ file: EvidenceFile }>`
        with moved as (
          update files set drop_id = ${dropId}
          where account_id = ${accountId} and draft = ${draft} and state = 'ready' and drop_id is null
          returning ${evidenceFile} as file, created_at, id
        )
        select file from moved order by created_at, id
      `.execute(db);
      return rows.map(({ file }) => file);
    },

    setWanted: (accountId, dropId, places) => run`
        update files set wanted = place.number
        from unnest(${[...places.keys()]}::uuid[], ${[...places.values()]}::smallint[]) as place (id, number)
        where files.account_id = ${accountId} and files.drop_id = ${dropId} and files.id = place.id
      `,

    async moveUploadsToDrop(accountId, files, dropId) {
      const { rows } = await sql<{ file: EvidenceFile }>`
        with moved as (
          update files set drop_id = ${dropId}, name = new.name, path = new.path
          from unnest(${files.map(({ id }) => id)}::uuid[], ${files.map(({ name }) => name)}::text[],
            ${files.map(({ path }) => path)}::text[]) as new (id, name, path)
          where files.account_id = ${accountId} and files.id = new.id and files.state = 'ready' and files.drop_id is null
          returning files.draft, ${evidenceFile} as file, files.created_at, files.id
        ), emptied as (
          delete from drafts using moved where drafts.account_id = ${accountId} and drafts.name = moved.draft
        )
        select file from moved order by created_at, id
      `.execute(db);
      return rows.map(({ file }) => file);
    },

    // Objects stay while another stored file has them. One is sent again only while it is stored, and cannot be deleted at
    // that moment: when no file that is stored has the objects, none ever will.
    takeDeletions: (count, leaseSeconds) => readRows<Deletion>`
        with due as (
          select account_id, id, coalesce(content_id, id) as content_id from files
          where state = 'deleting' and lease_until <= now()
          order by lease_until limit ${sql.lit(count)} for update skip locked
        ), judged as (
          select account_id, id, exists (
              select from files as other where other.account_id = due.account_id and other.content_id = due.content_id
                and other.id <> due.id and other.state in ('ready', 'held')
            ) or exists (
              select from files as first where first.account_id = due.account_id and first.id = due.content_id
                and first.id <> due.id and first.state in ('ready', 'held')
            ) as is_needed
          from due
        )
        update files set lease_until = ${secondsFromNow(leaseSeconds)} from judged
        where files.account_id = judged.account_id and files.id = judged.id
        returning files.account_id as "accountId", files.id, case when is_needed then 0 else chunk_count end as "chunkCount",
          case when is_needed then '[]' else runs end as runs
      `,

    async settleDeletions(deletions) {
      const { rest, isDone } = remainingObjects(deletions);
      const isSame = sql`files.account_id = rest."accountId" and files.id = rest.id`;
      // A file of a drop is kept as an entry in its history.
      const isRemoved = sql`(${isDone} and files.drop_id is null)`;
      await sql`
        with removed as (delete from files using ${rest} where ${isSame} and ${isRemoved})
        update files set chunk_count = rest."chunkCount", runs = rest.runs,
          state = case when ${isDone} then 'gone' else files.state end,
          lease_until = case when ${isDone} then null else now() end
        from ${rest} where ${isSame} and not ${isRemoved}
      `.execute(db);
    },

    async inSentDrops(accountId, ids, { keyId, lock }) {
      const isSent = sql<boolean>`drops.account_id = ${accountId} and drops.type = 'downloadfiles'
        and drops.ended_at is null and drops.expires_at > now()
        and (${keyId ?? null}::uuid is null or drops.key_id = ${keyId ?? null}::uuid)`;
      // Drops before files, as everywhere. Nothing that ends one of them goes on until this transaction has ended.
      if (lock) {
        await sql`
          select from drops where ${isSent} and id in (
            select drop_id from files where account_id = ${accountId} and id = any(${ids}::uuid[]))
          order by id for share
        `.execute(db);
        await sql`
          select from files where account_id = ${accountId} and id = any(${ids}::uuid[]) and state = 'ready'
          order by id for share
        `.execute(db);
      }
      return db
        .selectFrom('files')
        .innerJoin('drops', (join) =>
          join.onRef('drops.account_id', '=', 'files.account_id').onRef('drops.id', '=', 'files.drop_id'),
        )
        .select(sealedFileColumns)
        .where('files.account_id', '=', accountId)
        .where('files.id', '=', sql<string>`any(${ids}::uuid[])`)
        .where('files.state', '=', 'ready')
        .where(isSent)
        .$narrowType<ReadyFile>()
        .execute();
    },

    async copyToDrop(accountId, copies, dropId, maxStoredBytes) {
      const { rows } = await sql<{ file: EvidenceFile; bytes: number }>`
        with copied as (
          insert into files (account_id, id, state, draft, drop_id, name, path, media_type, size_bytes, sha256, crc32, scan,
            unscanned_reason, runs, chunk_count, wrapped_key, key_day, created_at)
          select files.account_id, copy.id, 'ready', files.draft, ${dropId}, copy.name, copy.path, media_type, size_bytes,
            sha256, crc32, scan, unscanned_reason,
            case when runs <> '[]' then runs else jsonb_build_array(jsonb_build_object('id', files.id, 'firstSegment', 0,
              'segmentsPerChunk', ${segmentsPerChunk}::integer, 'objects', null)) end,
            chunk_count, copy.wrapped, copy.day, files.created_at
          from unnest(${copies.map(({ id }) => id)}::uuid[], ${copies.map(({ sourceId }) => sourceId)}::uuid[],
            ${copies.map(({ name }) => name)}::text[], ${copies.map(({ path }) => path)}::text[],
            ${copies.map(({ wrapped }) => wrapped)}::bytea[], ${copies.map(({ day }) => day)}::integer[])
            as copy (id, source_id, name, path, wrapped, day)
          join files on files.account_id = ${accountId} and files.id = copy.source_id and files.state = 'ready'
          returning ${evidenceFile} as file, files.size_bytes as bytes, files.created_at, files.id
        )
        select file, bytes from copied order by created_at, id
      `.execute(db);
      const bytes = rows.reduce((sum, row) => sum + row.bytes, 0);
      // Triggers add it at the commit. Until then, this keeps the account's row locked, so that it cannot fill up meanwhile.
      await sql`select change_usage(${accountId}, ${bytes}, ${maxStoredBytes}::bigint)`.execute(db);
      await sql`select change_usage(${accountId}, ${-bytes}, null)`.execute(db);
      return rows.map(({ file }) => file);
    },

    ofSentDrop: (accountId, dropId, only) =>
      db
        .selectFrom('drops')
        .innerJoin('files', (join) =>
          join.onRef('files.account_id', '=', 'drops.account_id').onRef('files.drop_id', '=', 'drops.id'),
        )
        .select(sealedFileColumns)
        .where('drops.account_id', '=', accountId)
        .where('drops.id', '=', dropId)
        .where('drops.type', '=', 'downloadfiles')
        .where('drops.ended_at', 'is', null)
        .where('drops.expires_at', '>', sql<Date>`now()`)
        .where('files.state', '=', 'ready')
        .$if(only !== undefined, (query) => query.where('files.id', '=', only as string))
        .orderBy('files.created_at')
        .orderBy('files.id')
        .$narrowType<ReadyFile>()
        .execute(),

    inInbox: (accountId, entryId, { name, id } = {}) =>
      selectInboxFiles(accountId)
        .where('entry.id', '=', entryId)
        .$if(name !== undefined, (query) => query.where('files.name', '=', name as string))
        .$if(id !== undefined, (query) => query.where('files.id', '=', id as string))
        .$narrowType<ReadyFile>()
        .execute(),

    inInboxEntries: (accountId, entryIds) =>
      selectInboxFiles(accountId)
        .select('entry.id as entryId')
        .where('entry.id', 'in', entryIds.length > 0 ? entryIds : [accountId])
        .$narrowType<ReadyFile>()
        .execute(),
  };

  function selectInboxFiles(accountId: string) {
    return db
      .selectFrom('inbox_entries as entry')
      .innerJoin('drops', (join) =>
        join.onRef('drops.account_id', '=', 'entry.sender_account_id').onRef('drops.id', '=', 'entry.drop_id'),
      )
      .innerJoin('files', (join) =>
        join.onRef('files.account_id', '=', 'drops.account_id').onRef('files.drop_id', '=', 'drops.id'),
      )
      .select(sealedFileColumns)
      .select(['drops.account_id as accountId', 'drops.id as dropId', 'files.wanted'])
      .where('entry.account_id', '=', accountId)
      .where('drops.ended_at', 'is', null)
      .where('drops.expires_at', '>', sql<Date>`now()`)
      .where('files.state', '=', 'ready')
      .orderBy('files.created_at')
      .orderBy('files.id');
  }
}

export function undeletedObjectStore(db: Database): UndeletedObjectStore {
  const { readRows, run } = bindStatements(db);
  return {
    record: (keys) => run`
        insert into undeleted_objects as object (key, due_at)
        select unnest(${keys}::text[]), now() + interval '1 minute'
        on conflict (key) do update set attempts = object.attempts + 1,
          due_at = now() + least(interval '1 minute' * power(2, least(object.attempts, 20)), interval '1 day')
      `,

    async takeDue(count, leaseSeconds) {
      const { rows } = await sql<{ key: string }>`
        with due as (
          select key from undeleted_objects where due_at <= now()
          order by due_at limit ${sql.lit(count)} for update skip locked
        )
        update undeleted_objects as object set due_at = ${secondsFromNow(leaseSeconds)} from due
        where object.key = due.key returning object.key
      `.execute(db);
      return rows.map(({ key }) => key);
    },

    purge: (keys) => run`delete from undeleted_objects where key = any(${keys}::text[])`,

    list: (after, count) => readRows<Awaited<ReturnType<UndeletedObjectStore['list']>>[number]>`
        select key, attempts, first_failed_at as "firstFailedAt" from undeleted_objects
        where key > ${after ?? ''} order by key limit ${sql.lit(count)}
      `,
  };
}
