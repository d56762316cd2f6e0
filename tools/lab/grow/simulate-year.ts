/**
 * Simulates a year of use in a quarter of an hour: each day drops are sent, opened and delivered, drops past their
 * deadline end, and those that ended long ago are deleted, all by the program's own sweep with a clock that is moved
 * forward one day at a time. Shows how large the tables become.
 */
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type pg from 'pg';
import { sweep } from '../../../server/src/domain/sweep.ts';
import { jobDeadlines, openDatabase, openPool } from '../../../server/src/engines/postgres/database.ts';
import { migrate } from '../../../server/src/engines/postgres/migrate.ts';
import { postgresStore } from '../../../server/src/engines/postgres/store.ts';

const { values: options } = parseArgs({
  options: {
    database: { type: 'string' },
    'drops-per-day': { type: 'string', default: '1000' },
    'keep-days': { type: 'string', default: '90' },
    days: { type: 'string', default: '365' },
    plot: { type: 'string' },
  },
});
const [dropsPerDay, keepDays, days] = [options['drops-per-day'], options['keep-days'], options.days].map(Number) as [
  number,
  number,
  number,
];
if (!options.database || ![dropsPerDay, keepDays, days].every((count) => count > 0)) {
  process.stderr.write('simulate-year: needs --database; see npm run lab -- simulate-year --help\n');
  process.exit(64);
}
const daySeconds = 86_400;
const dropDays = 14;
const tables = ['drops', 'links', 'files', 'messages', 'deliveries', 'link_sessions', 'audit_entries'];

const plain = open(options.database);
await migrate(plain);
await plain.query(`
  create schema simulated;
  create table simulated.clock (behind interval not null);
  insert into simulated.clock values ('0');
  create function simulated.now() returns timestamptz language sql stable as
    $$ select pg_catalog.now() - behind from simulated.clock $$`);
// Found here before PostgreSQL's built-in function of the same name.
const url = new URL(options.database);
url.searchParams.set('options', '-c search_path=simulated,pg_catalog,public');
const pool = open(url.href);
const engines = {
  store: postgresStore(openDatabase(pool)),
  // No objects were stored, and none are deleted.
  objects: { delete: () => Promise.resolve() },
  // Nor are keys.
  dayKeys: { today: async () => undefined, destroy: async () => 0 },
  checkpoint: () => undefined,
  policy: {
    keepSeconds: { history: keepDays * daySeconds, audit: keepDays * daySeconds, events: keepDays * daySeconds },
  },
} as unknown as Parameters<typeof sweep>[0];

const accountId = randomUUID();
await pool.query("insert into accounts (id, email, phone, type) values ($1, 'year@machines.test', '', 'api')", [
  accountId,
]);
const series: Record<string, number[]> = Object.fromEntries(tables.map((table) => [table, []]));
for (let day = 1; day <= days; day++) {
  await plain.query('update simulated.clock set behind = make_interval(days => $1)', [days - day]);
  await spendDay(pool, day);
  await sweep(engines);
  // Once a day; PostgreSQL itself does it more often.
  await plain.query('vacuum analyze');
  for (const table of tables) {
    const { rows } = await plain.query<{ size: number }>('select pg_total_relation_size($1::regclass) as size', [
      table,
    ]);
    series[table]?.push((rows[0]?.size ?? 0) / 1024 ** 2);
  }
  process.stderr.write(`\rday ${day} of ${days} `);
}
process.stderr.write('\n');
for (const table of tables) {
  const sizes = series[table] as number[];
  const at = [0.25, 0.5, 0.75, 1].map((part) => `${sizes[Math.round(days * part) - 1]?.toFixed(1)} MiB`);
  process.stdout.write(`${table.padEnd(14)} ${at.join('  ')}\n`);
}
if (options.plot) writeFileSync(options.plot, plot());
await Promise.all([plain.end(), pool.end()]);

function open(connection: string): pg.Pool {
  return openPool({ url: connection, connections: 4, deadlines: jobDeadlines, onError: () => undefined });
}

/**
 * The records of a day's dispatches: three receivers, two files, one mail each, and one receiver who downloads everything.
 */
async function spendDay(client: pg.Pool, day: number): Promise<void> {
  await client.query(
    `with new as materialized (
       select gen_random_uuid() as id, now() - interval '1 day' * random() as at from generate_series(1, $2)
     ), new_drops as (
       insert into drops (account_id, id, type, message, lifetime, created_at, expires_at, receiver_count, file_count, key_day)
       select $1, id, 'downloadfiles', 'day ${day}, with some words for its receivers', ${dropDays}, at,
         at + interval '${dropDays} days', 3, 2, 1 from new
     ), new_links as (
       insert into links (account_id, drop_id, position, email, phone, language, groups, contact_name, token_digest, opened_at)
       select $1, id, position, 'receiver-' || position || '@example.org', '', 'en', '{}', '',
         sha256((id || ':' || position)::bytea), at from new, generate_series(0, 2) as position
     ), new_files as (
       insert into files (account_id, id, state, draft, drop_id, name, media_type, size_bytes, sha256, crc32, scan, chunk_count,
                          wrapped_key, key_day, created_at)
       select $1, gen_random_uuid(), 'ready', '', id, 'report-' || number || '.pdf', 'application/pdf', 1000,
         sha256(id::text::bytea), 0, 'clean', 0, sha256(id::text::bytea), 99999, at from new, generate_series(1, 2) as number
       returning drop_id, id
     ), new_messages as (
       insert into messages (account_id, id, drop_id, position, kind, channel, receiver, state, attempts, outcome, created_at, settled_at)
       select $1, gen_random_uuid(), id, position, 'invitation', 'mail', '', 'sent', 1, '250 2.0.0 Ok', at, at
       from new, generate_series(0, 2) as position
     ), new_sessions as (
       insert into link_sessions (digest, account_id, drop_id, position, created_at, purge_at)
       select sha256(('session ' || id)::bytea), $1, id, 0, at, at + interval '44 days' from new
     ), new_deliveries as (
       insert into deliveries (account_id, drop_id, position, file_id, delivered, completed_at)
       select $1, drop_id, 0, id, '{[0,1000)}', now() from new_files
     )
     insert into audit_entries (epoch, account_id, id, at, author_kind, author_id, author_name, action, details)
     select 0, $1, gen_random_uuid(), at, 'key', '', 'year@machines.test', 'drop.created', '{"draft": ""}' from new`,
    [accountId, dropsPerDay],
  );
}

function plot(): string {
  const [width, height, left, bottom] = [640, 300, 50, 30];
  const top = Math.max(...Object.values(series).flat()) * 1.05;
  const x = (day: number) => left + (day / days) * (width - left - 110);
  const y = (size: number) => 10 + (1 - size / top) * (height - bottom - 10);
  const colours = ['#1b6ca8', '#c2410c', '#15803d', '#7e22ce', '#a16207', '#0f766e', '#be123c'];
  const labels = placeLabels(tables.map((table) => y(series[table]?.at(-1) ?? 0)));
  const lines = tables.map((table, index) => {
    const points = (series[table] as number[]).map((size, day) => `${x(day + 1).toFixed(1)},${y(size).toFixed(1)}`);
    return `  <polyline points="${points.join(' ')}" fill="none" stroke="${colours[index]}" stroke-width="1.5"/>
  <text x="${width - 104}" y="${(labels[index] as number) + 4}" fill="${colours[index]}">${table}</text>`;
  });
  const ticks = [0, 0.5, 1].map((part) => {
    const size = top * part;
    return `  <text x="${left - 6}" y="${y(size) + 4}" text-anchor="end">${size.toFixed(0)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">
  <title>Size of each table with its indexes over ${days} days, in MiB</title>
  <rect width="100%" height="100%" fill="#fff"/>
${ticks.join('\n')}
${lines.join('\n')}
  <text x="${left}" y="${height - 8}">day 1</text>
  <text x="${width - 110}" y="${height - 8}" text-anchor="end">day ${days}; kept for ${keepDays} days, MiB</text>
</svg>
`;
}

/** Moves labels down until none covers another. */
function placeLabels(heights: readonly number[]): number[] {
  const result = [...heights];
  let free = 0;
  for (const index of [...heights.keys()].toSorted(
    (one, other) => (heights[one] as number) - (heights[other] as number),
  )) {
    result[index] = Math.max(result[index] as number, free);
    free = result[index] + 14;
  }
  return result;
}
