import { type RawBuilder, sql } from 'kysely';
import type { Batch, BatchPosition } from '../../domain/batch.ts';
import type { Database } from './database.ts';
import { isHeld, seemsUnheld } from './is-held.ts';
import type { DB } from './schema.ts';

/** Bounds a statement, however many rows in a row are held: it looks at so many for each that it may purge. */
export const lookedAtPerRow = 5;

interface UnheldRows {
  readonly table: keyof DB;
  /** Identifies a row, which is called `old`. */
  readonly key: readonly string[];
  /** The column with the time from which its age counts. */
  readonly at: string;
  /** The column that orders rows of the same time, and its type. */
  readonly tie: readonly [column: string, type: 'uuid' | 'bigint' | 'bytea'];
  /** The drop that it belongs to. */
  readonly dropId?: RawBuilder<unknown>;
  readonly where?: RawBuilder<unknown>;
  /** The values that are set in a row in place of deleting it. */
  readonly set?: RawBuilder<unknown>;
}

/**
 * Purges the oldest rows that have reached this age and that no legal hold covers, up to `count` of them. Those are chosen by
 * set, and only they are examined exactly, under the lock that keeps a hold from being placed at the same moment.
 */
export async function purgeUnheld(
  db: Database,
  { table, key, at, tie, dropId = sql`old.drop_id`, where = sql`true`, set }: UnheldRows,
  olderThanSeconds: number,
  count: number,
  after: BatchPosition | undefined,
): Promise<Batch> {
  const maxLookedAt = count * lookedAtPerRow;
  const [from, atColumn, tieColumn, type] = [sql.table(table), sql.ref(at), sql.ref(tie[0]), sql.raw(tie[1])];
  const keys = (row: string) =>
    sql.join(key.map((column) => sql`${sql.ref(`${row}.${column}`)} as ${sql.ref(column)}`));
  const isDue = sql.join(
    key.map((column) => sql`${sql.ref(`entry.${column}`)} = ${sql.ref(`due.${column}`)}`),
    sql` and `,
  );
  const isBehind = after
    ? sql`and (${atColumn}, ${tieColumn}) > (${after[0]}::timestamptz, ${after[1]}::${type})`
    : sql``;
  const change = set
    ? sql`update ${from} as entry set ${set} from due where ${isDue}`
    : sql`delete from ${from} as entry using due where ${isDue}`;
  const { rows } = await sql<{ rows: number; isFull: boolean; last: BatchPosition | null }>`
    with looked_at as materialized (
      select ${keys('old')}, old.account_id as "accountId", ${dropId} as "dropId", ${atColumn} as "orderAt",
        ${tieColumn} as "orderTie", row_number() over (order by ${atColumn}, ${tieColumn}) as place
      from ${from} as old
      where ${atColumn} < now() - make_interval(secs => ${olderThanSeconds}) and ${where} ${isBehind}
      order by ${atColumn}, ${tieColumn} limit ${sql.lit(maxLookedAt)}
    ), chosen as materialized (
      select * from looked_at as looked where ${seemsUnheld(sql`looked."accountId"`, sql`looked."dropId"`)}
      limit ${sql.lit(count)}
    ), due as materialized (
      select ${keys('chosen')} from chosen where not ${isHeld(sql`chosen."accountId"`, sql`chosen."dropId"`)}
    ), changed as (${change})
    select (select count(*) from due)::integer as rows, (select count(*) from chosen) = ${count} as "isFull",
      (select array["orderAt"::text, "orderTie"::text] from looked_at where place = ${sql.lit(maxLookedAt)}) as last
  `.execute(db);
  const { rows: purged = 0, isFull = false, last = null } = rows[0] ?? {};
  return { rows: purged, more: isFull || last !== null, next: isFull ? after : (last ?? undefined) };
}

interface OldRows {
  readonly table: keyof DB;
  /** Identifies a row of an account. */
  readonly id: string;
  /** The column with the time from which its age counts. */
  readonly at: string;
  /** A further condition on a row, which is called `old`. */
  readonly where?: RawBuilder<unknown>;
}

/** Deletes the oldest rows that have reached this age, up to `count` of them. Returns how many. */
export async function purgeOldest(
  db: Database,
  { table, id, at, where = sql`true` }: OldRows,
  olderThanSeconds: number,
  count: number,
): Promise<number> {
  const [from, idColumn, atColumn] = [sql.table(table), sql.ref(id), sql.ref(at)];
  const { numAffectedRows } = await sql`
    delete from ${from} as entry
    using (
      select account_id, ${idColumn} as id from ${from} as old
      where ${atColumn} < now() - make_interval(secs => ${olderThanSeconds}) and ${where}
      order by ${atColumn} limit ${sql.lit(count)}
    ) as due
    where entry.account_id = due.account_id and entry.${idColumn} = due.id
  `.execute(db);
  return Number(numAffectedRows ?? 0);
}

/** Deletes up to `count` rows that expired this long ago. Returns how many. */
export async function purgeExpired(
  db: Database,
  table: 'sessions' | 'person_links' | 'used_tokens',
  id: 'digest' | 'id',
  count: number,
  olderThanSeconds = 0,
): Promise<number> {
  const [from, key] = [sql.table(table), sql.ref(id)];
  const { numAffectedRows } = await sql`
    delete from ${from} where ${key} in (
      select ${key} from ${from} where expires_at < now() - make_interval(secs => ${olderThanSeconds})
      order by expires_at limit ${sql.lit(count)})
  `.execute(db);
  return Number(numAffectedRows ?? 0);
}
