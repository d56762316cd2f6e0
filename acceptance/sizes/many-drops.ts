import { query } from '../lib/servers/exchange-internals.ts';

const batch = 1_000;

/**
 * Gives an account this many drops at once, directly in the database, with the rows that as many dispatches of one file
 * to two receivers would have left, because it would take hours through the API. They have no key for their links: a
 * process that starts meanwhile would find that its master key does not open it.
 */
export async function insertDrops(user: string, count: number): Promise<void> {
  const [account] = await query<{ id: string }>('select id from accounts where email = $1', [user]);
  // Each file changes the account's usage, and the more changes a transaction makes to one row, the slower they are.
  for (let first = 1; first <= count; first += batch) {
    await insertBatch(account?.id ?? '', first, Math.min(first + batch - 1, count));
  }
}

async function insertBatch(accountId: string, first: number, last: number): Promise<void> {
  await query(
    `with new as (
       select gen_random_uuid() as id, number from generate_series($2::int, $3::int) as number
     ), inserted_drops as (
       insert into drops (account_id, id, type, message, lifetime, created_at, expires_at,
                          receiver_count, file_count, key_day)
       select $1, id, 'downloadfiles', 'drop ' || number || repeat(' with some words for its receivers', 14), 30,
              now() - number * interval '1 second', now() + interval '20 days', 2, 1, 1
       from new
     ), inserted_links as (
       insert into links (account_id, drop_id, position, email, phone, language, groups, contact_name, token_digest)
       select $1, id, position, 'receiver-' || number || '-' || position || '@example.org', '46700000000', 'en',
              array['customers'], 'Receiver ' || number, sha256((id || ':' || position)::bytea)
       from new, generate_series(0, 1) as position
     )
     insert into files (account_id, id, state, draft, drop_id, name, media_type, size_bytes, sha256, crc32, scan,
                        chunk_count, wrapped_key, key_day)
     select $1, gen_random_uuid(), 'ready', '', id, 'report-' || number || '.pdf', 'application/pdf', 1000,
            sha256(id::text::bytea), 0, 'clean', 1, sha256(id::text::bytea), 99999
     from new`,
    [accountId, first, last],
  );
}

/** Collects statistics, as the database itself does a while after so many rows were added. */
export async function refreshStatistics(): Promise<void> {
  await query('analyze drops, links, files');
}
