import { type RawBuilder, sql } from 'kysely';
import type { Batch, BatchPosition, BatchSize } from '../../../domain/batch.ts';
import type { Database } from '../database.ts';
import { isHeld, seemsUnheld } from '../is-held.ts';

/** Bounds a statement, however many drops in a row are held: it looks at so many for each that it may purge. */
const lookedAtPerDrop = 20;

/** A drop is removed with its links, in the batch that finds nothing else left of it. */
export async function purgeDrops(
  db: Database,
  olderThanSeconds: number,
  batch: BatchSize,
  after: BatchPosition | undefined,
): Promise<Batch> {
  const lookedAt = lookAt(olderThanSeconds, sql`not to_empty`, batch, after);
  return toBatch(
    await purgeEnded(db, lookedAt, { from: sql`looked_at as drops where true`, order: sql`` }, batch),
    after,
  );
}

/** As `purgeDrops`, for one account without a hold and whenever its drops ended. */
export async function purgeDropsOfAccount(db: Database, accountId: string, batch: BatchSize): Promise<Batch> {
  const from = sql`drops where account_id = ${accountId} and ended_at is not null and not to_empty`;
  const none = sql`select null as ended_at, null as id, 0 as place`;
  const purged = await purgeEnded(db, none, { from, order: sql`order by account_id, id` }, batch);
  return { rows: purged?.isPartial ? 0 : (purged?.drops ?? 0), more: (purged?.drops ?? 0) > 0 };
}

/** The oldest drops, with the place of each. */
function lookAt(
  olderThanSeconds: number,
  where: RawBuilder<unknown>,
  { owners }: BatchSize,
  after: BatchPosition | undefined,
): RawBuilder<unknown> {
  const isBehind = after ? sql`and (ended_at, id) > (${after[0]}::timestamptz, ${after[1]}::uuid)` : sql``;
  return sql`
    select account_id, id, ended_at, receiver_count, file_count, row_number() over (order by ended_at, id) as place
    from drops
    where ended_at < now() - make_interval(secs => ${olderThanSeconds}) and ${where} ${isBehind}
    order by ended_at, id limit ${sql.lit(owners * lookedAtPerDrop)}`;
}

/**
 * Of the drops that were looked at, those of which everything else is gone are chosen. Each is looked up by itself: as
 * anti-joins, PostgreSQL would rather read whole tables.
 */
const isAlone = sql`
  (select true from files
    where files.account_id = drops.account_id and files.drop_id = drops.id and files.state <> 'gone' limit 1) is null
  and (select true from messages
    where messages.account_id = drops.account_id and messages.drop_id = drops.id and messages.state = 'waiting' limit 1) is null
  and (select true from drops as received
    where received.account_id = drops.account_id and received.request_id = drops.id limit 1) is null
  and (select true from inbox_entries as entry
    where entry.sender_account_id = drops.account_id and entry.drop_id = drops.id limit 1) is null`;

/** Locks those of the chosen drops that no hold covers, and that are still as they were when they were chosen. */
const lockChosen = sql`
  select drops.account_id, drops.id from chosen join drops on drops.account_id = chosen.account_id and drops.id = chosen.id
  where drops.ended_at = chosen.ended_at and not drops.to_empty
    and not ${isHeld(sql`chosen.account_id`, sql`chosen.id`)}
  for update of drops skip locked`;

interface PurgedDrops {
  readonly drops: number;
  /** Of these drops, some rows are left. */
  readonly isPartial: boolean;
  /** As many were chosen as a batch handles. */
  readonly isFull: boolean;
  /** The last of those that were looked at, if there may be others behind it. */
  readonly last: BatchPosition | null;
}

const findLast = (owners: number) => sql`(
  select array[ended_at::text, id::text] from looked_at where place = ${sql.lit(owners * lookedAtPerDrop)}) as last`;

function toBatch(purged: PurgedDrops | undefined, after: BatchPosition | undefined): Batch {
  if (!purged) return { rows: 0, more: false };
  const { drops, isPartial, isFull } = purged;
  if (isPartial || (isFull && drops > 0)) return { rows: isPartial ? 0 : drops, more: true, next: after };
  return { rows: drops, more: purged.last !== null, next: purged.last ?? undefined };
}

async function purgeEnded(
  db: Database,
  lookedAt: RawBuilder<unknown>,
  candidates: { readonly from: RawBuilder<unknown>; readonly order: RawBuilder<unknown> },
  { owners, rows: limit }: BatchSize,
): Promise<PurgedDrops | undefined> {
  const { rows } = await sql<PurgedDrops>`
    with looked_at as (${lookedAt}), alone as materialized (
      select account_id, id, ended_at, receiver_count + file_count as size from ${candidates.from}
        and ${isAlone} and ${seemsUnheld(sql`drops.account_id`, sql`drops.id`)}
      ${candidates.order} limit ${sql.lit(owners)}
    ), chosen as materialized (
      -- At least one, and more while they have few links and files.
      select account_id, id, ended_at from (
        select *, sum(size) over (order by ended_at, id) - size as before from alone) as sized
      where before < ${limit}
    ), due as materialized (${lockChosen}
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
    select drops, more as "isPartial",
      (select count(*) from alone) = ${owners} or (select count(*) from chosen) < (select count(*) from alone) as "isFull", ${findLast(owners)}
    from found
  `.execute(db);
  return rows[0];
}

/** A drop is marked in the batch that finds nothing else to purge of it. */
export async function purgeActivity(
  db: Database,
  olderThanSeconds: number,
  batch: BatchSize,
  after: BatchPosition | undefined,
): Promise<Batch> {
  const { owners, rows: limit } = batch;
  const { rows } = await sql<PurgedDrops>`
    with looked_at as (${lookAt(olderThanSeconds, sql`not to_empty and not activity_purged`, batch, after)}
    ), chosen as materialized (
      select * from looked_at where ${seemsUnheld(sql`looked_at.account_id`, sql`looked_at.id`)}
      limit ${sql.lit(owners)}
    ), due as materialized (${lockChosen}
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
      update drops set activity_purged = true
      from due, found where drops.account_id = due.account_id and drops.id = due.id and not found.more
    )
    select drops, more as "isPartial", (select count(*) from chosen) = ${owners} as "isFull", ${findLast(owners)} from found
  `.execute(db);
  return toBatch(rows[0], after);
}
