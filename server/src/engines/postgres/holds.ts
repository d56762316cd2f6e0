import { type RawBuilder, sql } from 'kysely';
import type { Hold, HoldStore } from '../../domain/holds/hold-store.ts';
import type { Database } from './database.ts';
import { purgeOldest } from './purge-oldest.ts';

/**
 * Whether a hold in force covers a row of this account that belongs to this drop, or to none. A hold that is placed
 * later waits until this transaction has ended.
 */
export function isHeld(accountId: RawBuilder<unknown>, dropId: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`is_held(${accountId}, ${dropId})`;
}

export function holdStore(db: Database): HoldStore {
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

    async page({ accountId, released }, after, count) {
      const { rows } = await sql<Hold>`
        select holds.id, holds.account_id as "accountId", accounts.email as account, drop_id as "dropId", holds.name,
          reason, placed_by as "placedBy", placed_at::text as "placedAt", released_by as "releasedBy",
          released_at as "releasedAt"
        from holds join accounts on accounts.id = holds.account_id
        where (${accountId ?? null}::uuid is null or holds.account_id = ${accountId ?? null}::uuid)
          and (${released} or released_at is null)
          and (placed_at, holds.id) > (${after?.placedAt ?? '-infinity'}::timestamptz,
            ${after?.id ?? '00000000-0000-0000-0000-000000000000'}::uuid)
        order by placed_at, holds.id limit ${sql.lit(count)}
      `.execute(db);
      return rows;
    },

    async emptyReleased(count) {
      const { rows } = await sql<{ files: number; holds: number }>`
        with due as materialized (
          select account_id, id, drop_id from holds where to_empty
          order by released_at limit 1 for update skip locked
        ), due_files as materialized (
          select files.account_id, files.id
          from due join files on files.account_id = due.account_id and (due.drop_id is null or files.drop_id = due.drop_id)
          where files.state = 'held' and not ${isHeld(sql`files.account_id`, sql`files.drop_id`)}
          limit ${sql.lit(count)}
        ), emptied as (
          update files set state = 'deleting', wrapped_key = null, lease_until = now()
          from due_files where files.account_id = due_files.account_id and files.id = due_files.id
        ), finished as (
          update holds set to_empty = false
          from due where holds.account_id = due.account_id and holds.id = due.id
            and (select count(*) from due_files) < ${count}
        )
        select (select count(*) from due_files) as files, (select count(*) from due) as holds
      `.execute(db);
      return { rows: rows[0]?.files ?? 0, more: (rows[0]?.holds ?? 0) > 0 };
    },

    async purge(olderThanSeconds, count) {
      const where = sql`not to_empty and not ${isHeld(sql`old.account_id`, sql`old.drop_id`)}`;
      return purgeOldest(db, { table: 'holds', id: 'id', at: 'released_at', where }, olderThanSeconds, count);
    },
  };
}
