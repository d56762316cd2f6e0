import { sql } from 'kysely';
import type { WrappedKey } from '../../domain/ports/key-provider.ts';
import type { Database } from './database.ts';

/**
 * A few of the stored keys, each found by an index: those of the live drops that end last and first, so that both keys
 * of a rotation are probably among them, and that of a file that has not been sent yet.
 */
export async function sampleWrappedKeys(db: Database): Promise<readonly WrappedKey[]> {
  const { rows } = await sql<WrappedKey>`
    (select link_key as wrapped, key_version as version, id as context from drops
     where ended_at is null and link_key is not null order by expires_at desc limit 1)
    union all
    (select link_key, key_version, id from drops
     where ended_at is null and link_key is not null order by expires_at limit 1)
    union all
    (select wrapped_key, key_version, id from files where state = 'ready' and drop_id is null limit 1)
  `.execute(db);
  return rows;
}
