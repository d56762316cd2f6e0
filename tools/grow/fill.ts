/**
 * Fills a database with the rows that a year of dispatches would have left, straight in SQL: through the API it would
 * take weeks. Of everything, one tenth belongs to one account. Nothing is stored in the bucket: what is here can be
 * listed, opened, swept and counted, and not downloaded.
 */
import type pg from 'pg';

export interface FillOptions {
  /** All in all; each with five links, three files and two messages. */
  readonly drops: number;
  /** The account with a tenth of them. It must exist. */
  readonly largest: string;
  /** Told after each batch. */
  readonly progress?: (drops: number) => void;
}

const batchDrops = 10_000;
const dropsPerAccount = 500;

/** Can be broken off at any time and begun again: it continues after the last whole batch. */
export async function fill(pool: pg.Pool, { drops, largest, progress }: FillOptions): Promise<void> {
  const { rowCount } = await pool.query('select from accounts where email = $1', [largest]);
  if (rowCount === 0) throw new Error(`There is no account ${largest}: create it first.`);
  const accounts = Math.max(20, Math.ceil(drops / dropsPerAccount));
  await pool.query('create table if not exists grown (batch integer primary key)');
  // The token of a link, of the form that the program's have, so that grown links can be opened.
  await pool.query(`
    create or replace function grown_token(drop_id uuid, link integer) returns text language sql immutable as $$
      select rtrim(translate(encode(sha256((drop_id || ':' || link)::bytea), 'base64'), '+/', '-_'), '=') $$`);
  await pool.query(
    `insert into accounts (id, email, number, type)
     select md5('grown ' || number)::uuid, 'grown-' || number || '@machines.test', '46700000000', 'api'
     from generate_series(1, $1::int) as number on conflict do nothing`,
    [accounts],
  );
  const { rows: done } = await pool.query<{ batch: number }>('select batch from grown');
  const finished = new Set(done.map(({ batch }) => batch));
  for (let batch = 0; batch * batchDrops < drops; batch++) {
    if (!finished.has(batch)) await fillBatch(pool, { batch, drops, accounts, largest });
    progress?.(Math.min(drops, (batch + 1) * batchDrops));
  }
  // Also what the database would do by itself a while later.
  await pool.query('vacuum analyze');
}

interface Batch {
  readonly batch: number;
  readonly drops: number;
  readonly accounts: number;
  readonly largest: string;
}

async function fillBatch(pool: pg.Pool, { batch, drops, accounts, largest }: Batch): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query('set local synchronous_commit = off');
    await client.query('set local statement_timeout = 0');
    // The references hold by construction; checking a hundred million of them is what would take hours.
    await client.query('set local session_replication_role = replica');
    await client.query('insert into grown values ($1)', [batch]);
    await client.query(
      `create temporary table batch on commit drop as
       select n, account_id, created_at, expires_at, expires_at < now() as ended,
         -- Ordered by time, like those of the program.
         (lpad(to_hex((extract(epoch from created_at) * 1000)::bigint), 12, '0')
           || '7' || substr(noise, 1, 3) || '8' || substr(noise, 4, 15))::uuid as id
       from (
         select n, md5('drop ' || n) as noise,
           case when n % 10 = 0 then (select id from accounts where email = $4)
             else md5('grown ' || 1 + (n * 7919::bigint) % $3)::uuid end as account_id,
           now() - interval '365 days' * (1 - n / $2::float8) as created_at,
           now() - interval '365 days' * (1 - n / $2::float8) + interval '14 days' as expires_at
         from generate_series($1::int * ${batchDrops}, least($2::int, ($1::int + 1) * ${batchDrops}) - 1) as n
       ) as numbered`,
      [batch, drops, accounts, largest],
    );
    for (const statement of statements) await client.query(statement);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  } finally {
    client.release();
  }
}

const statements = [
  `insert into drops (account_id, id, type, message, ttl, created_at, expires_at, ended_at, remind_at, receiver_count,
                      file_count, key_version)
   select account_id, id, case when n % 20 = 7 then 'uploadfiles' else 'downloadfiles' end::drop_type,
     'drop ' || n || ' with some words for its receivers', 14, created_at, expires_at,
     case when ended then expires_at end,
     case when expires_at - interval '2 days' > now() then expires_at - interval '2 days' end, 5, 3, 1
   from batch`,
  `insert into links (account_id, drop_id, position, email, number, language, groups, nick, token_digest, notified_at,
                      opened_at)
   select account_id, id, position, 'receiver-' || (n * 31 + position * 7) % 1000000 || '@example.org', '46700000000',
     'en', array['customers'], 'Receiver', sha256(grown_token(id, position)::bytea), created_at,
     case when position < 3 then created_at + interval '1 hour' end
   from batch, generate_series(0, 4) as position`,
  `insert into files (account_id, id, state, draft, drop_id, name, media_type, size_bytes, sha256, scan, chunk_count,
                      wrapped_key, key_version, created_at)
   select account_id, md5('file ' || n || ' ' || number)::uuid, case when ended then 'gone' else 'ready' end::file_state,
     '', id, 'report-' || n || '-' || number || '.pdf', 'application/pdf', 1000, sha256((n || ' ' || number)::bytea),
     'clean', 1, case when not ended then sha256(id::text::bytea) end, 1, created_at
   from batch, generate_series(1, 3) as number`,
  `insert into messages (account_id, id, drop_id, position, state, attempts, outcome, created_at, settled_at)
   select account_id, md5('message ' || n || ' ' || position)::uuid, id, position, 'sent', 1, '250 2.0.0 Ok', created_at,
     created_at + interval '2 seconds'
   from batch, generate_series(0, 1) as position`,
  `insert into inbox_entries (account_id, id, sender_account_id, drop_id, created_at)
   select md5('grown ' || 1 + (n * 31) % 20)::uuid, md5('entry ' || n)::uuid, account_id, id, created_at
   from batch where n % 10 = 3 and not ended`,
];
