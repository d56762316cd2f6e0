import { sql } from 'kysely';
import type { BatchPosition } from '../../domain/batch.ts';
import type { Hold, HoldStore } from '../../domain/holds/hold-store.ts';
import { bindStatements, type Database } from './database.ts';
import { isHeld, seemsUnheld } from './is-held.ts';
import { lookedAtPerRow, purgeUnheld } from './purge.ts';

/** Stand for the drop of files that are in none, and for any. */
const noDrop = sql`'00000000-0000-0000-0000-000000000000'::uuid`;
const lastDrop = sql`'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid`;
/** As in the index of held files. */
const dropOfFile = sql`coalesce(files.drop_id, ${noDrop})`;

export function holdStore(db: Database): HoldStore {
  const { readRows } = bindStatements(db);
  return {
    async place({ accountId, id, dropId, name, reason, placedBy }) {
      // The counterpart of the lock in the database's own is_held().
      await sql`select pg_advisory_xact_lock(hashtextextended('hold ' || ${accountId}::uuid, 0))`.execute(db);
      const { numAffectedRows } = await sql`
        insert into holds (account_id, id, drop_id, name, reason, placed_by)
        select ${accountId}, ${id}, ${dropId}::uuid, ${name}, ${reason}, ${placedBy}
        where ${dropId}::uuid is null
          or exists (select from drops where account_id = ${accountId} and id = ${dropId}::uuid)
      `.execute(db);
      return numAffectedRows === 1n;
    },

    release: (id, releasedBy) =>
      db
        .updateTable('holds')
        .set({ released_by: releasedBy, released_at: sql<Date>`now()`, to_empty: true })
        .where('id', '=', id)
        .where('released_at', 'is', null)
        .returning(['account_id as accountId', 'drop_id as dropId', 'name'])
        .executeTakeFirst(),

    page: ({ accountId, released }, after, count) => readRows<Hold>`
        select holds.id, holds.account_id as "accountId", accounts.email as account, drop_id as "dropId", holds.name,
          reason, placed_by as "placedBy", placed_at::text as "placedAt", released_by as "releasedBy",
          released_at as "releasedAt"
        from holds join accounts on accounts.id = holds.account_id
        where (${accountId ?? null}::uuid is null or holds.account_id = ${accountId ?? null}::uuid)
          and (${released} or released_at is null)
          and (placed_at, holds.id) > (${after?.placedAt ?? '-infinity'}::timestamptz,
            ${after?.id ?? '00000000-0000-0000-0000-000000000000'}::uuid)
        order by placed_at, holds.id limit ${sql.lit(count)}
      `,

    async emptyReleased(count, after) {
      const maxLookedAt = count * lookedAtPerRow;
      const [holdId = null, dropId = null, fileId = null] = after ?? [];
      const { rows } = await sql<{ files: number; holds: number; isFull: boolean; last: BatchPosition | null }>`
        with due as materialized (
          select account_id, id, coalesce(drop_id, ${noDrop}) as first_drop, coalesce(drop_id, ${lastDrop}) as last_drop,
            id = ${holdId}::uuid as goes_on
          from holds where to_empty
          order by released_at limit 1 for update skip locked
        ), looked_at as materialized (
          select files.account_id, files.id, files.drop_id, ${dropOfFile} as order_drop,
            row_number() over (order by ${dropOfFile}, files.id) as place
          from due join files on files.account_id = due.account_id and files.state = 'held'
            and (${dropOfFile}, files.id) > (case when goes_on then ${dropId}::uuid else first_drop end,
              case when goes_on then ${fileId}::uuid else ${noDrop} end)
            and ${dropOfFile} <= last_drop
          order by ${dropOfFile}, files.id limit ${sql.lit(maxLookedAt)}
        ), chosen as materialized (
          select * from looked_at as looked where ${seemsUnheld(sql`looked.account_id`, sql`looked.drop_id`)}
          limit ${sql.lit(count)}
        ), due_files as materialized (
          select account_id, id from chosen where not ${isHeld(sql`chosen.account_id`, sql`chosen.drop_id`)}
        ), emptied as (
          update files set state = 'deleting', wrapped_key = null, lease_until = now()
          from due_files where files.account_id = due_files.account_id and files.id = due_files.id
        ), found as materialized (
          select (select count(*) from due_files) as files, (select count(*) from due) as holds,
            (select count(*) from chosen) = ${count} as is_full,
            (select array[due.id::text, order_drop::text, looked_at.id::text] from due, looked_at
              where place = ${sql.lit(maxLookedAt)}) as last
        ), finished as (
          update holds set to_empty = false
          from due, found where holds.account_id = due.account_id and holds.id = due.id
            and not found.is_full and found.last is null
        )
        select files, holds, is_full as "isFull", last from found
      `.execute(db);
      const { files = 0, holds = 0, isFull = false, last = null } = rows[0] ?? {};
      return { rows: files, more: holds > 0, next: isFull ? after : (last ?? undefined) };
    },

    purge: (olderThanSeconds, count, after) =>
      purgeUnheld(
        db,
        { table: 'holds', key: ['account_id', 'id'], at: 'released_at', tie: ['id', 'uuid'], where: sql`not to_empty` },
        olderThanSeconds,
        count,
        after,
      ),
  };
}
