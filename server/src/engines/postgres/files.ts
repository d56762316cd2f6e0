import { sql } from 'kysely';
import type { FileStore } from '../../domain/ports.ts';
import type { Database } from './database.ts';
import { type ReadyFile, runsColumn, sealedFileColumns } from './sealed-file.ts';
import { secondsFromNow } from './time.ts';

/** Destroying the wrapped key is what deletes a file; its objects are unreadable from then on. */
const deletion = { state: 'deleting', wrapped_key: null, lease_until: sql<Date>`now()` } as const;

export function fileStore(db: Database): FileStore {
  const file = (accountId: string, id: string) =>
    db.updateTable('files').where('account_id', '=', accountId).where('id', '=', id);

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
          wrapped_key: intent.wrappedKey,
          key_version: intent.keyVersion,
          lease_until: secondsFromNow(leaseSeconds),
        })
        .execute();
    },

    async reserve(accountId, id, chunkCount, leaseSeconds) {
      const { numUpdatedRows } = await file(accountId, id)
        .set({ chunk_count: sql`greatest(chunk_count, ${chunkCount})`, lease_until: secondsFromNow(leaseSeconds) })
        .where('state', '=', 'uploading')
        .executeTakeFirstOrThrow();
      return numUpdatedRows === 1n;
    },

    async complete(accountId, upload) {
      await replaceStaged(db, accountId, upload.id);
      const { numUpdatedRows } = await file(accountId, upload.id)
        .set({
          state: 'ready',
          size_bytes: upload.sizeBytes,
          sha256: upload.sha256,
          scan: upload.scan,
          chunk_count: upload.chunkCount,
          lease_until: null,
        })
        .where('state', '=', 'uploading')
        .executeTakeFirstOrThrow();
      return numUpdatedRows === 1n;
    },

    async abandon(accountId, id) {
      await file(accountId, id).set(deletion).where('state', '=', 'uploading').execute();
    },

    async staged(accountId, draft) {
      const rows = await db
        .selectFrom('files')
        .select(['name', 'media_type as mediaType', 'size_bytes as sizeBytes'])
        .where('account_id', '=', accountId)
        .where('draft', '=', draft)
        .where('state', '=', 'ready')
        .where('drop_id', 'is', null)
        .orderBy('created_at')
        .orderBy('id')
        .$narrowType<{ sizeBytes: number }>()
        .execute();
      return rows;
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
      const { numUpdatedRows } = await db
        .updateTable('files')
        .set({ drop_id: dropId })
        .where('account_id', '=', accountId)
        .where('draft', '=', draft)
        .where('state', '=', 'ready')
        .where('drop_id', 'is', null)
        .executeTakeFirstOrThrow();
      return Number(numUpdatedRows);
    },

    async takeDeletions(count, leaseSeconds) {
      return db
        .with('due', (query) =>
          query
            .selectFrom('files')
            .select(['account_id', 'id'])
            .where('state', 'in', ['uploading', 'deleting'])
            .where('lease_until', '<=', sql<Date>`now()`)
            .orderBy('lease_until')
            .limit(count)
            .forUpdate()
            .skipLocked(),
        )
        .updateTable('files')
        .from('due')
        .set({ ...deletion, lease_until: secondsFromNow(leaseSeconds) })
        .whereRef('files.account_id', '=', 'due.account_id')
        .whereRef('files.id', '=', 'due.id')
        .returning(['files.account_id as accountId', 'files.id', 'files.chunk_count as chunkCount', runsColumn])
        .execute();
    },

    async settleDeletion({ accountId, id, chunkCount }) {
      if (chunkCount > 0) {
        await file(accountId, id)
          .set({ chunk_count: chunkCount, lease_until: secondsFromNow(60) })
          .execute();
        return;
      }
      await file(accountId, id)
        .set({ state: 'gone', chunk_count: 0, runs: '[]', lease_until: null })
        .where(sql<boolean>`(drop_id is not null or refusal is not null)`)
        .execute();
      await db
        .deleteFrom('files')
        .where('account_id', '=', accountId)
        .where('id', '=', id)
        .where('drop_id', 'is', null)
        .where('refusal', 'is', null)
        .execute();
    },

    inInbox: (accountId, entryId, name) =>
      db
        .selectFrom('inbox_entries as entry')
        .innerJoin('drops', (join) =>
          join.onRef('drops.account_id', '=', 'entry.sender_account_id').onRef('drops.id', '=', 'entry.drop_id'),
        )
        .innerJoin('files', (join) =>
          join.onRef('files.account_id', '=', 'drops.account_id').onRef('files.drop_id', '=', 'drops.id'),
        )
        .select(sealedFileColumns)
        .select('drops.id as dropId')
        .where('entry.account_id', '=', accountId)
        .where('entry.id', '=', entryId)
        .where('drops.ended_at', 'is', null)
        .where('drops.expires_at', '>', sql<Date>`now()`)
        .where('files.name', '=', name)
        .where('files.state', '=', 'ready')
        .$narrowType<ReadyFile>()
        .executeTakeFirst(),
  };
}

/** A file that is about to be ready in its draft takes the place of a staged one of the same name. */
export async function replaceStaged(db: Database, accountId: string, id: string): Promise<void> {
  await sql`
    update files as old set state = 'deleting', wrapped_key = null, lease_until = now()
    from files as new
    where new.account_id = ${accountId} and new.id = ${id}
      and old.account_id = new.account_id and old.draft = new.draft and old.name = new.name
      and old.state = 'ready' and old.drop_id is null
  `.execute(db);
}
