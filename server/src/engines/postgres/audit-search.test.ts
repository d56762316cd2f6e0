// How long a search of the audit takes. `npm run lab -- audit-search` runs it with as many entries as you like.
import { inspect } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, openTestPool, type TestDatabase } from '../../../test/database.ts';
import { listActions } from '../../domain/audit/actions.ts';
import type { AuditFilter } from '../../domain/audit/audit-store.ts';
import { migrationDeadlines, openDatabase, openPool } from './database.ts';
import { postgresStore } from './store.ts';

const entries = Number(process.env['WAYBILL_AUDIT_ENTRIES'] ?? 20_000);
const searches = Number(process.env['WAYBILL_AUDIT_SEARCHES'] ?? 20);
const batch = 1_000_000;
const maxMs = 300;
const fillMs = 6 * 3_600_000;

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  await fill();
}, fillMs);
afterAll(() => database[Symbol.asyncDispose]());

/** A text that PostgreSQL makes into the UUID of a number. */
const uuid = (number: string, kind: number) => `('0000000${kind}-0000-7000-8000-' || lpad(to_hex(${number}), 12, '0'))`;
const makeUuid = (number: number, kind: number) =>
  `0000000${kind}-0000-7000-8000-${number.toString(16).padStart(12, '0')}`;

/**
 * Three years of entries: a thousand accounts, of which one has a tenth of all; five thousand authors; four entries about
 * each drop; a network address from which a twentieth comes; a mail address that every five-thousandth entry is about.
 */
async function fill(): Promise<void> {
  const pool = openPool({ url: database.url, connections: 1, deadlines: migrationDeadlines, onError: () => undefined });
  const { rows: indexes } = await pool.query<{ name: string; definition: string }>(
    `select indexname as name, indexdef as definition from pg_indexes
     where tablename = 'audit_entries' and indexname <> 'audit_entries_pkey'`,
  );
  for (const { name } of indexes) await pool.query(`drop index ${name}`);
  for (let from = 0; from < entries; from += batch) {
    await pool.query(`
      insert into audit_entries (epoch, account_id, id, at, author_kind, author_id, author_name, author_address, action,
        addresses, details)
      select 0, ${uuid('(case when i % 10 = 0 then 0 else i % 1000 end)::int', 1)}::uuid, gen_random_uuid(),
        now() - make_interval(secs => (${entries} - i) * (94608000.0 / ${entries})), 'key',
        ${uuid('(i % 5000)::int', 2)}, 'orders@example.org',
        case when i % 20 = 0 then '192.0.2.1' else '10.0.' || (i % 9973) / 100 || '.' || (i % 9973) % 100 end,
        case when i % 100000 = 7 then 'hold.placed' else (array['drop.created', 'file.uploaded', 'drop.revoked',
          'link.opened', 'contact.changed', 'inbox.done'])[1 + i % 6] end,
        array[case when i % 5000 = 0 then 'busy@example.org' else 'r' || (i * 7919) % ${Math.ceil(entries / 20)} || '@example.org' end],
        jsonb_build_object('dropId', ${uuid('(i / 4)::int', 3)}, 'receivers', 1, 'files', 2)
      from generate_series(${from}::bigint, ${Math.min(entries, from + batch) - 1}::bigint) as i`);
    if (entries > batch) process.stderr.write(`${Math.min(entries, from + batch)} of ${entries} entries\n`);
  }
  for (const { definition } of indexes) await pool.query(definition);
  await pool.query('vacuum analyze audit_entries');
  await pool.end();
}

const anyOf = (count: number) => Math.floor(Math.random() * count);
const anyTime = () => new Date(Date.now() - Math.random() * 94_608_000_000);
const kinds: Readonly<Record<string, () => AuditFilter>> = {
  nothing: () => ({}),
  'a time': () => ({ until: anyTime() }),
  'an account': () => ({ accountId: makeUuid(1 + anyOf(999), 1) }),
  'the busiest account': () => ({ accountId: makeUuid(0, 1), until: anyTime() }),
  'an author': () => ({ authorIds: [makeUuid(anyOf(5000), 2)] }),
  'fifty authors': () => ({ authorIds: Array.from({ length: 50 }, () => makeUuid(anyOf(5000), 2)) }),
  'a reference': () => ({ dropIdEnd: makeUuid(anyOf(Math.floor(entries / 4)), 3).slice(-10) }),
  'a network address': () => ({ networkAddress: `10.0.${anyOf(99)}.${anyOf(99)}` }),
  'the busiest network address': () => ({ networkAddress: '192.0.2.1', until: anyTime() }),
  'a mail address': () => ({ mailAddress: `r${anyOf(Math.ceil(entries / 20))}@example.org` }),
  'the busiest mail address': () => ({ mailAddress: 'busy@example.org' }),
  'a rare action': () => ({ actions: listActions('hold.placed') }),
  'all actions about drops': () => ({ actions: listActions('drop.*'), until: anyTime() }),
  'an account and an action': () => ({ accountId: makeUuid(1 + anyOf(999), 1), actions: listActions('drop.revoked') }),
};

test(
  `a search among ${entries} entries takes less than ${maxMs} ms in 99 of 100 cases`,
  async () => {
    // As an administrator's command: connections of its own, and statements that are prepared once.
    const { audit } = postgresStore(openDatabase(database.pool));
    const results: Record<string, { found: number; p50: number; p99: number; max: number }> = {};
    for (const [kind, make] of Object.entries(kinds)) {
      const times: number[] = [];
      let found = 0;
      for (let search = 0; search < searches; search += 1) {
        const filter = make();
        const since = performance.now();
        found += (await audit.search(filter, { order: 'newest first', after: undefined, count: 50 })).length;
        times.push(performance.now() - since);
      }
      times.sort((one, other) => one - other);
      const at = (part: number) =>
        Math.round(10 * (times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0)) / 10;
      results[kind] = { found: Math.round(found / searches), p50: at(0.5), p99: at(0.99), max: at(1) };
    }
    if (entries > batch / 2) {
      const [size] = await database.query<{ table: string; all: string }>(
        `select pg_size_pretty(pg_table_size('audit_entries')) as table,
         pg_size_pretty(pg_total_relation_size('audit_entries')) as all`,
      );
      process.stderr.write(`${inspect({ ...results, size }, { breakLength: 140 })}\n`);
      expect(Object.entries(results).filter(([, { p99 }]) => p99 >= maxMs)).toEqual([]);
    }
    for (const kind of ['an account', 'an author', 'a reference', 'a mail address', 'the busiest mail address']) {
      expect(results[kind]?.found, kind).toBeGreaterThan(0);
    }
  },
  fillMs,
);

test('the entries about a mail address are found by their index, however many entries there are', async () => {
  let text = '';
  const around = <Result>(statement: string, call: () => Result) => {
    text = statement;
    return call();
  };
  const pool = openTestPool(database.url);
  const { audit } = postgresStore(openDatabase(pool, { around }));
  const page = { order: 'newest first', after: undefined, count: 50 } as const;
  expect(await audit.search({ mailAddress: 'busy@example.org' }, page)).not.toEqual([]);
  const client = await pool.connect();
  await client.query('begin');
  await client.query(`update pg_class set reltuples = 1e8 where oid = 'audit_entries'::regclass`);
  await client.query('set local plan_cache_mode = force_generic_plan');
  await client.query(`prepare search as ${text}`);
  const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain execute search ('busy@example.org')`);
  client.release(true);
  await pool.end();
  expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain('audit_entries_about_address');
});
