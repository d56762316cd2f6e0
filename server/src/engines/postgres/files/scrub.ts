import { sql } from 'kysely';
import type { FilePosition } from '../../../domain/batch.ts';
import type { Damage, DamagedFile, ScrubbedFile, ScrubPass, ScrubStore } from '../../../domain/files/scrub-store.ts';
import { bindStatements, type Database } from '../database.ts';

export function scrubStore(db: Database): ScrubStore {
  const { readRows, run } = bindStatements(db);
  return {
    async pass() {
      const { rows } = await sql<Omit<ScrubPass, 'position'> & FilePosition & { objects: number }>`
        select started_at as "startedAt", extract(epoch from now() - started_at)::float8 as "startedSeconds",
          completed_at as "completedAt", account_id as "accountId", file_id as id, objects, files, bytes
        from scrub
      `.execute(db);
      if (!rows[0]) return undefined;
      const { accountId, id, objects, ...pass } = rows[0];
      return { ...pass, position: { accountId, id, objects } };
    },

    begin: () => run`
        insert into scrub default values
        on conflict (is_only_row) do update set started_at = default, completed_at = default, account_id = default,
          file_id = default, objects = default, files = default, bytes = default
      `,

    async advance({ position, files, bytes }) {
      await db
        .updateTable('scrub')
        .set({ account_id: position.accountId, file_id: position.id, objects: position.objects, files, bytes })
        .execute();
    },

    async complete() {
      await db.updateTable('scrub').set({ completed_at: sql<Date>`now()` }).execute();
    },

    // A stored file has a key, whether it is ready or held. The others are read too and left out here, so that a long
    // history does not make a statement long.
    async filesFrom({ accountId, id }, count) {
      const { rows } = await sql<ScrubbedFile & { isStored: boolean }>`
        select files.account_id as "accountId", files.id, size_bytes as "sizeBytes", sha256,
          wrapped_key as "wrappedKey", wrapped_key is not null as "isStored", key_day as "keyDay", runs, damaged_files.file_id is not null as "isRecorded"
        from files left join damaged_files on damaged_files.account_id = files.account_id and file_id = files.id
        where (files.account_id, files.id) >= (${accountId}, ${id})
        order by files.account_id, files.id limit ${sql.lit(count + 1)}
      `.execute(db);
      return { files: rows.slice(0, count).filter(({ isStored }) => isStored), next: rows[count] };
    },

    async record({ accountId, id }, { object, problem }: Damage) {
      const { numAffectedRows = 0n } = await sql`
        insert into damaged_files (account_id, file_id, object, problem)
        select account_id, id, ${object}, ${problem} from files
        where account_id = ${accountId} and id = ${id} and wrapped_key is not null
        on conflict (account_id, file_id) do update set object = excluded.object, problem = excluded.problem
      `.execute(db);
      return numAffectedRows === 1n;
    },

    async clear({ accountId, id }) {
      await db.deleteFrom('damaged_files').where('account_id', '=', accountId).where('file_id', '=', id).execute();
    },

    damaged: (after, count) => readRows<DamagedFile>`
        select damaged.account_id as "accountId", file_id as id, accounts.email as account, drop_id as "dropId", name,
          object, problem, found_at as "foundAt"
        from damaged_files as damaged
        join files on files.account_id = damaged.account_id and files.id = file_id and wrapped_key is not null
        join accounts on accounts.id = damaged.account_id
        where (damaged.account_id, file_id) > (${after?.accountId ?? nil}, ${after?.id ?? nil})
        order by damaged.account_id, file_id limit ${sql.lit(count)}
      `,

    async countDamaged() {
      const { rows } = await sql<{ count: number }>`
        select count(*) from damaged_files
        join files on files.account_id = damaged_files.account_id and files.id = file_id and wrapped_key is not null
      `.execute(db);
      return rows[0]?.count ?? 0;
    },
  };
}

const nil = '00000000-0000-0000-0000-000000000000';
