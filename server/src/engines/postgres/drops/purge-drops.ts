import { type RawBuilder, sql } from 'kysely';
import type { Batch, BatchSize } from '../../../domain/batch.ts';
import type { Database } from '../database.ts';
import { isHeld } from '../holds.ts';

/** A drop is removed with its links, in the batch that finds nothing else left of it. */
export function purgeDrops(db: Database, olderThanSeconds: number, batch: BatchSize): Promise<Batch> {
  const isOld = sql`ended_at < now() - make_interval(secs => ${olderThanSeconds})`;
  return purgeEnded(db, { which: isOld, order: sql`order by ended_at` }, batch);
}

/** As `purgeDrops`, for one account and whenever its drops ended. */
export function purgeDropsOfAccount(db: Database, accountId: string, batch: BatchSize): Promise<Batch> {
  return purgeEnded(db, { which: sql`account_id = ${accountId} and ended_at is not null`, order: sql`` }, batch);
}

async function purgeEnded(
  db: Database,
  { which, order }: { readonly which: RawBuilder<unknown>; readonly order: RawBuilder<unknown> },
  { owners, rows: limit }: BatchSize,
): Promise<Batch> {
  const { rows } = await sql<{ rows: number; more: boolean }>`
    with old as materialized (
      select account_id, id, ended_at, receiver_count + file_count as size from drops
      where ${which} and not to_empty
        and not exists (select from files
          where files.account_id = drops.account_id and files.drop_id = drops.id and files.state <> 'gone')
        and not exists (select from messages
          where messages.account_id = drops.account_id and messages.drop_id = drops.id and messages.state = 'waiting')
        and not exists (select from drops as received
          where received.account_id = drops.account_id and received.request_id = drops.id)
        and not exists (select from inbox_entries as entry
          where entry.sender_account_id = drops.account_id and entry.drop_id = drops.id)
        and not ${isHeld(sql`drops.account_id`, sql`drops.id`)}
      ${order} limit ${sql.lit(owners)} for update skip locked
    ), due as materialized (
      -- At least one, and more while they have few links and files.
      select account_id, id from (
        select account_id, id, sum(size) over (order by ended_at, id) - size as before from old) as ordered
      where before < ${limit}
    ), due_deliveries as materialized (
      select due.account_id, due.id, row.position, row.file_id
      from due join deliveries as row on row.account_id = due.account_id and row.drop_id = due.id limit ${sql.lit(limit)}
    ), due_messages as materialized (
      select row.account_id, row.id
      from due join messages as row on row.account_id = due.account_id and row.drop_id = due.id limit ${sql.lit(limit)}
    ), due_sessions as materialized (
      select row.digest
      from due join link_sessions as row on row.account_id = due.account_id and row.drop_id = due.id limit ${sql.lit(limit)}
    ), deleted_deliveries as (
      delete from deliveries as row using due_deliveries as due
      where row.account_id = due.account_id and row.drop_id = due.id and row.position = due.position
        and row.file_id = due.file_id
    ), deleted_messages as (
      delete from messages as row using due_messages as due where row.account_id = due.account_id and row.id = due.id
    ), deleted_sessions as (
      delete from link_sessions as row using due_sessions as due where row.digest = due.digest
    ), found as (
      select (select count(*) from due) as drops, greatest(deliveries, messages, sessions) = ${limit} as more
      from (
        select (select count(*) from due_deliveries) as deliveries, (select count(*) from due_messages) as messages,
          (select count(*) from due_sessions) as sessions
      ) as counted
    ), finished as materialized (
      select account_id, id from due, found where not found.more
    ), deleted_files as (
      delete from files as row using finished where row.account_id = finished.account_id and row.drop_id = finished.id
    ), deleted_links as (
      delete from links as row using finished where row.account_id = finished.account_id and row.drop_id = finished.id
    ), deleted_drops as (
      delete from drops as row using finished where row.account_id = finished.account_id and row.id = finished.id
    )
    select case when more then 0 else drops end as rows, drops > 0 as more from found
  `.execute(db);
  return { rows: rows[0]?.rows ?? 0, more: rows[0]?.more ?? false };
}

/** A drop is marked in the batch that finds nothing else to purge of it. */
export async function purgeDeliveries(
  db: Database,
  olderThanSeconds: number,
  { owners, rows: limit }: BatchSize,
): Promise<Batch> {
  const { rows } = await sql<{ rows: number; more: boolean }>`
    with due as materialized (
      select account_id, id from drops
      where ended_at < now() - make_interval(secs => ${olderThanSeconds}) and not to_empty and not deliveries_purged
        and not ${isHeld(sql`drops.account_id`, sql`drops.id`)}
      order by ended_at limit ${sql.lit(owners)} for update skip locked
    ), due_deliveries as materialized (
      select row.account_id, row.drop_id, row.position, row.file_id
      from due join deliveries as row on row.account_id = due.account_id and row.drop_id = due.id limit ${sql.lit(limit)}
    ), due_links as materialized (
      select row.account_id, row.drop_id, row.position
      from due join links as row on row.account_id = due.account_id and row.drop_id = due.id
      where (row.opened_at, row.passed_at, row.completed_at) is distinct from (null, null, null) limit ${sql.lit(limit)}
    ), deleted as (
      delete from deliveries as row using due_deliveries as due
      where row.account_id = due.account_id and row.drop_id = due.drop_id and row.position = due.position
        and row.file_id = due.file_id
    ), cleared as (
      update links set opened_at = null, passed_at = null, completed_at = null from due_links as due
      where links.account_id = due.account_id and links.drop_id = due.drop_id and links.position = due.position
    ), found as (
      select (select count(*) from due) as drops, greatest(deliveries, links) = ${limit} as more
      from (
        select (select count(*) from due_deliveries) as deliveries, (select count(*) from due_links) as links
      ) as counted
    ), marked as (
      update drops set deliveries_purged = true
      from due, found where drops.account_id = due.account_id and drops.id = due.id and not found.more
    )
    select case when more then 0 else drops end as rows, more or drops = ${owners} as more from found
  `.execute(db);
  return { rows: rows[0]?.rows ?? 0, more: rows[0]?.more ?? false };
}
