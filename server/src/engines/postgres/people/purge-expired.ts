import { sql } from 'kysely';
import type { Database } from '../database.ts';

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
