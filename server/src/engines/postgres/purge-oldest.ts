import { type RawBuilder, sql } from 'kysely';
import type { Database } from './database.ts';
import type { DB } from './schema.ts';

export interface OldRows {
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
