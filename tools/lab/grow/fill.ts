/**
 * Fills a database with the rows that a year of dispatches would have left, directly in SQL, because it would take
 * weeks through the API. A tenth of everything belongs to one account. Nothing is stored in the bucket: these drops can
 * be listed, opened, swept and counted, but not downloaded. Needs a superuser of PostgreSQL, who may switch triggers off.
 */
import pg from 'pg';

export interface FillOptions {
  /** In total; each with five links, three files and two messages. */
  readonly drops: number;
  /** The account that owns a tenth of them. It must exist. */
  readonly largest: string;
  /** Called after each batch. */
  readonly progress?: (drops: number) => void;
}

const batchDrops = 10_000;
const dropsPerAccount = 500;

/** Above this number, rows are written without indexes, which are built afterwards: that takes a third of the time. */
const bulkDrops = 100_000;
const lanes = 2;

/** Can be interrupted at any time and restarted: it continues after the last complete batch. */
export async function fill(pool: pg.Pool, { drops, largest, progress }: FillOptions): Promise<void> {
  const { rowCount } = await pool.query('select from accounts where email = $1', [largest]);
  if (rowCount === 0) throw new Error(`There is no account ${largest}: create it first.`);
  const accounts = Math.max(20, Math.ceil(drops / dropsPerAccount));
  await pool.query('create table if not exists grown (batch integer primary key)');
  // A link token in the program's own format, so that these links can be opened.
  await pool.query(`
    create or replace function grown_token(drop_id uuid, link integer) returns text language sql immutable as $$
      select rtrim(translate(encode(sha256((drop_id || ':' || link)::bytea), 'base64'), '+/', '-_'), '=') $$`);
  await pool.query(
    `insert into accounts (id, email, phone, type)
     select md5('grown ' || number)::uuid, 'grown-' || number || '@machines.test', '46700000000', 'api'
     from generate_series(1, $1::int) as number on conflict do nothing`,
    [accounts],
  );
  const { rows: done } = await pool.query<{ batch: number }>('select batch from grown');
  const finished = new Set(done.map(({ batch }) => batch));
  const batches = Array.from({ length: Math.ceil(drops / batchDrops) }, (_, batch) => batch).filter(
    (batch) => !finished.has(batch),
  );
  const bulk = await openBulk(pool);
  if (drops > bulkDrops && batches.length > 0) await bulk.takeApart();
  let filled = drops - batches.length * batchDrops;
  const lane = async () => {
    for (let batch = batches.shift(); batch !== undefined; batch = batches.shift()) {
      await fillBatch(pool, { batch, drops, accounts, largest });
      filled += batchDrops;
      progress?.(Math.min(drops, filled));
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  await bulk.putTogether();
  // The database would also do this by itself a while later.
  await pool.query('vacuum analyze');
}

/** Drops and recreates the constraints and indexes of the large tables. A table records what has to be recreated. */
async function openBulk(pool: pg.Pool) {
  await pool.query('create table if not exists grown_schema (step integer primary key, remake text not null)');
  const inOneTransaction = (statements: readonly string[]) =>
    inTransaction(pool, async (client) => {
      await client.query(`set local maintenance_work_mem = '1GB'`);
      for (const statement of statements) await client.query(statement);
    });
  return {
    async takeApart() {
      const { rows } = await pool.query<{ drop: string; remake: string }>(partsOfLargeTables);
      const notes = rows.map(
        ({ remake }, step) => `insert into grown_schema values (${step}, ${pg.escapeLiteral(remake)})`,
      );
      // References first, then what they refer to.
      await inOneTransaction([...notes, ...rows.map(({ drop }) => drop).toReversed()]);
    },
    async putTogether() {
      const { rows } = await pool.query<{ step: number; remake: string }>('select * from grown_schema order by step');
      for (const { step, remake } of rows) {
        await inOneTransaction([remake, `delete from grown_schema where step = ${step}`]);
      }
    },
  };
}

/** In the order in which they can be created: indexes, keys, and references to keys, which hold by construction. */
const partsOfLargeTables = `
  with large as (select oid from pg_class where relnamespace = 'public'::regnamespace
                 and relname in ('drops', 'links', 'files', 'messages', 'inbox_entries'))
  select 1 as kind, indexrelid::regclass::text as name, 'drop index ' || indexrelid::regclass as drop,
    pg_get_indexdef(indexrelid) as remake
  from pg_index where indrelid in (select oid from large)
    and not exists (select from pg_constraint where conindid = indexrelid and contype in ('p', 'u'))
  union all
  select case contype when 'f' then 3 else 2 end, conname,
    format('alter table %s drop constraint %I', conrelid::regclass, conname),
    format('alter table %s add constraint %I %s%s', conrelid::regclass, conname, pg_get_constraintdef(oid),
      case when contype = 'f' and convalidated then ' not valid' end)
  from pg_constraint
  where contype in ('p', 'u') and conrelid in (select oid from large)
    or contype = 'f' and (conrelid in (select oid from large) or confrelid in (select oid from large))
  order by kind, name`;

interface Batch {
  readonly batch: number;
  readonly drops: number;
  readonly accounts: number;
  readonly largest: string;
}

async function fillBatch(pool: pg.Pool, { batch, drops, accounts, largest }: Batch): Promise<void> {
  await inTransaction(pool, async (client) => {
    await client.query('set local synchronous_commit = off');
    await client.query('set local statement_timeout = 0');
    // The references hold by construction; checking a hundred million of them would take hours.
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
  });
}

async function inTransaction(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<void>): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    await work(client);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  } finally {
    client.release();
  }
}

const statements = [
  `insert into drops (account_id, id, type, message, lifetime, created_at, expires_at, ended_at, remind_at, receiver_count,
                      file_count, key_day)
   select account_id, id, case when n % 20 = 7 then 'uploadfiles' else 'downloadfiles' end::drop_type,
     'drop ' || n || ' with some words for its receivers', 14, created_at, expires_at,
     case when ended then expires_at end,
     case when expires_at - interval '2 days' > now() then expires_at - interval '2 days' end, 5, 3, 1
   from batch`,
  `insert into links (account_id, drop_id, position, email, phone, language, groups, contact_name, token_digest, notified_at,
                      opened_at)
   select account_id, id, position, 'receiver-' || (n * 31 + position * 7) % 1000000 || '@example.org', '46700000000',
     'en', array['customers'], 'Receiver', sha256(grown_token(id, position)::bytea), created_at,
     case when position < 3 then created_at + interval '1 hour' end
   from batch, generate_series(0, 4) as position`,
  `insert into files (account_id, id, state, draft, drop_id, name, media_type, size_bytes, sha256, crc32, scan, chunk_count,
                      wrapped_key, key_day, created_at)
   select account_id, md5('file ' || n || ' ' || number)::uuid, case when ended then 'gone' else 'ready' end::file_state,
     '', id, 'report-' || n || '-' || number || '.pdf', 'application/pdf', 1000, sha256((n || ' ' || number)::bytea),
     0, 'clean', 1, case when not ended then sha256(id::text::bytea) end, 99999, created_at
   from batch, generate_series(1, 3) as number`,
  `insert into messages (account_id, id, drop_id, position, kind, channel, receiver, state, attempts, outcome, created_at, settled_at)
   select account_id, md5('message ' || n || ' ' || position)::uuid, id, position, 'invitation', 'mail', '', 'sent', 1, '250 2.0.0 Ok', created_at,
     created_at + interval '2 seconds'
   from batch, generate_series(0, 1) as position`,
  `insert into inbox_entries (account_id, id, sender_account_id, drop_id, created_at)
   select md5('grown ' || 1 + (n * 31) % 20)::uuid, md5('entry ' || n)::uuid, account_id, id, created_at
   from batch where n % 10 = 3 and not ended`,
];
