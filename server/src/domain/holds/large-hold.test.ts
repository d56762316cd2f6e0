// A hold that keeps more rows than one statement looks at, in front of everything that can be purged.
import { expect, test } from 'vitest';
import { openTestPool } from '../../../test/database.ts';
import { useTestExchange } from '../../../test/exchange.ts';
import { migrationDeadlines } from '../../engines/postgres/database.ts';
import { SweepPositions, sweep } from '../sweep.ts';
import { placeHold, releaseHold } from './change-holds.ts';

const exchange = await useTestExchange();
const { engines, database } = exchange;
/** `npm run lab -- legal-hold` sets it. */
const isLab = process.env['WAYBILL_HELD_ROWS'] !== undefined;
const held = Number(process.env['WAYBILL_HELD_ROWS'] ?? 5_500);
const timeout = isLab ? 3_600_000 : 120_000;
const free = 3;
const daySeconds = 86_400;
const tables = [
  'audit_entries',
  'deliveries',
  'drops',
  'evidence_entries',
  'holds',
  'link_sessions',
  'messages',
] as const;

/** Without what the creation of an account and of a hold leaves. */
const old = "and at < now() - interval '100 days'";
const conditions: Record<string, string> = { evidence_entries: `and salt is not null ${old}`, audit_entries: old };

/** Rows of every kind that is purged by age, so many of each, which end one after the other from `daysAgo` on. */
async function fill(accountId: string, rows: number, daysAgo: number): Promise<void> {
  const pool = openTestPool(database.url, migrationDeadlines);
  const at = `now() - interval '${daysAgo} days' + number * interval '1 ms'`;
  const id = (kind: string) => `md5('${accountId} ${kind} ' || number)::uuid`;
  const numbers = `generate_series(1, ${rows}) as number`;
  await pool.query(`
    alter table files disable trigger user;
    insert into drops (account_id, id, type, message, lifetime, expires_at, ended_at, receiver_count, file_count)
      select '${accountId}', ${id('drop')}, 'downloadfiles', '', 1, ${at}, ${at}, 0, 0 from ${numbers};
    insert into links (account_id, drop_id, position, email, contact_name, phone, language, groups, token_digest)
      select '${accountId}', ${id('drop')}, 0, 'r@x.org', '', '', '', '{}', sha256((${id('link')})::text::bytea) from ${numbers};
    insert into deliveries (account_id, drop_id, position, file_id)
      select '${accountId}', ${id('drop')}, 0, ${id('file')} from ${numbers};
    insert into link_sessions (digest, account_id, drop_id, position, purge_at)
      select sha256((${id('session')})::text::bytea), '${accountId}', ${id('drop')}, 0, ${at} from ${numbers};
    insert into messages (account_id, id, drop_id, kind, channel, receiver, state, settled_at)
      select '${accountId}', ${id('message')}, ${id('drop')}, 'invitation', 'mail', 'r@x.org', 'sent', ${at} from ${numbers};
    insert into audit_entries (epoch, account_id, id, at, author_kind, author_id, author_name, action, details)
      select 0, '${accountId}', ${id('audit')}, ${at}, 'server', 'x', 'x', 'drop.expired',
        jsonb_build_object('dropId', ${id('drop')}) from ${numbers};
    insert into evidence_entries (account_id, at, kind, drop_id, data, number, epoch, leaf_index, commitment)
      select '${accountId}', ${at}, 'drop.expired', ${id('drop')}, '{}', 0, ${daysAgo}, number, sha256('') from ${numbers};
    insert into holds (account_id, id, name, reason, placed_by, released_by, released_at)
      select '${accountId}', ${id('hold')}, 'x', '', 'x', 'x', ${at} from ${numbers};
    insert into files (account_id, id, state, draft, drop_id, name, media_type, size_bytes, sha256, crc32, scan, chunk_count,
        wrapped_key, key_day)
      select '${accountId}', ${id('file')}, 'held', '', ${id('drop')}, 'a', '', 1, '', 0, 'clean', 0, '', 1
      from ${numbers} where ${rows} > ${free};
    alter table files enable trigger user;
    analyze`);
  await pool.end();
}

const count = async (accountId: string) => {
  const counted = tables.map(
    (table) => `(select count(*)::int from ${table} as row where account_id = $1
    ${conditions[table] ?? ''}) as ${table}`,
  );
  return (await database.query<Record<string, number>>(`select ${counted.join(', ')}`, [accountId]))[0];
};

/** How often it was asked whether a row is held, counted by a sequence, which no rollback takes back. */
async function countQuestions(work: () => Promise<unknown>): Promise<number> {
  await database.query('alter sequence held_questions restart');
  await work();
  const [row] = await database.query<{ questions: number }>(
    'select case when is_called then last_value else 0 end::int as questions from held_questions',
  );
  return row?.questions ?? Number.NaN;
}

test('a large hold keeps everything, and nothing else', { timeout }, async () => {
  const [large, other] = [await exchange.account(), await exchange.account()];
  const hold = await placeHold(
    engines,
    { id: large.accountId, email: large.email },
    {
      name: 'Case 17',
      reason: 'court',
      by: 'Anna',
      dropId: null,
    },
  );
  await fill(large.accountId, held, 400);
  await fill(other.accountId, free, 300);
  await database.query(`
    create sequence held_questions;
    alter function is_held rename to is_really_held;
    create function is_held(account uuid, dropped uuid) returns boolean volatile language plpgsql as $$
      begin perform nextval('held_questions'); return is_really_held(account, dropped); end $$`);
  const keepSeconds = { ...engines.policy.keepSeconds, messages: 250 * daySeconds, activity: 250 * daySeconds };
  const long = { audit: 250 * daySeconds, evidence: 250 * daySeconds, history: 250 * daySeconds };
  const keeping = { ...engines, policy: { ...engines.policy, keepSeconds: { ...keepSeconds, ...long } } };

  const before = await count(large.accountId);
  expect(before).toMatchObject({ drops: held, messages: held, holds: held + 1 });
  const startedMs = performance.now();
  const positions = new SweepPositions();
  // A million records take several sweeps.
  const sweepOn = async () => {
    for (let sweeps = 0; sweeps < (isLab ? 6 : 1); sweeps += 1) await sweep(keeping, undefined, positions);
  };
  expect(await countQuestions(sweepOn)).toBeLessThan(10 * tables.length);
  if (isLab) process.stdout.write(`The sweeps took ${Math.round(performance.now() - startedMs)} ms.\n`);
  expect(await count(large.accountId)).toEqual(before);
  const nothing = Object.fromEntries(tables.map((table) => [table, 0]));
  expect(await count(other.accountId)).toEqual(nothing);

  const next = await exchange.account();
  await fill(next.accountId, free, 299);
  await sweep(keeping, undefined, positions);
  expect(await count(next.accountId)).toEqual(nothing);

  // While another hold is in force, the release of one leaves what it kept, and that of the last one leaves nothing.
  const second = await placeHold(
    engines,
    { id: large.accountId, email: large.email },
    {
      name: 'Case 18',
      reason: 'court',
      by: 'Anna',
      dropId: null,
    },
  );
  await releaseHold(engines, hold, 'Anna');
  const files = () => database.query("select count(*)::int as held from files where state = 'held'");
  expect(await countQuestions(() => engines.store.holds.emptyReleased(1000))).toBe(0);
  expect(await files()).toEqual([{ held }]);
  await releaseHold(engines, second, 'Anna');
  // Its records were passed: the next sweep looks at them again only because a hold was released.
  await sweepOn();
  expect(await files()).toEqual([{ held: 0 }]);
  expect(await database.query('select from holds where to_empty')).toEqual([]);
  const left = { ...nothing, holds: 2 };
  expect(await count(large.accountId)).toEqual({ ...left, drops: expect.any(Number) });
  // The drops were passed because the objects of their files were still to be deleted.
  await sweep(keeping);
  expect(await count(large.accountId)).toEqual(left);
});

/** Audit entries of which each batch passes one that is held, up to `heldRows`, and then purges those that are due. */
function passHeld(heldRows: number, due: () => number) {
  const counted = { batches: 0, purged: 0 };
  const purge: typeof engines.store.audit.purge = async (_age, _count, after) => {
    counted.batches += 1;
    const place = Number(after?.[0] ?? 0);
    if (place < heldRows) return { rows: 0, more: true, next: [String(place + 1)] };
    const rows = due();
    counted.purged += rows;
    return { rows, more: false };
  };
  return { counted, sweeping: sweepAudit(purge) };
}

function sweepAudit(purge: typeof engines.store.audit.purge): typeof engines {
  const store = { ...engines.store, audit: { ...engines.store.audit, purge } };
  const policy = { ...engines.policy, keepSeconds: { ...engines.policy.keepSeconds, audit: daySeconds } };
  return { ...engines, store, policy };
}

test('one sweep by itself reaches what is behind a hold, however much that keeps', { timeout }, async () => {
  const { counted, sweeping } = passHeld(3_000, () => 1);
  await sweep(sweeping);
  expect(counted).toEqual({ batches: 3_001, purged: 1 });

  // Nothing goes on forever that neither changes a row nor gets any further.
  let batches = 0;
  await sweep(sweepAudit(async () => ((batches += 1), { rows: 0, more: true, next: undefined })));
  expect(batches).toBe(1000);
});

test('of sweeps that follow each other, each passes a bounded part of a hold', { timeout }, async () => {
  let due = 1;
  // As many as a million held records need.
  const { counted, sweeping } = passHeld(200, () => due);
  const positions = new SweepPositions();
  const next = async () => {
    const { batches, purged } = counted;
    await sweep(sweeping, undefined, positions);
    return { batches: counted.batches - batches, purged: counted.purged - purged };
  };
  expect([await next(), await next(), await next()]).toEqual([
    { batches: 100, purged: 0 },
    { batches: 100, purged: 0 },
    { batches: 1, purged: 1 },
  ]);
  // Records that become due later are behind the last position.
  due = 2;
  for (let sweeps = 3; sweeps < 60; sweeps += 1) expect(await next()).toEqual({ batches: 1, purged: 2 });
  // About once an hour, all are looked at again, because some may not be held any more.
  expect([await next(), await next(), await next()]).toEqual([
    { batches: 100, purged: 0 },
    { batches: 100, purged: 0 },
    { batches: 1, purged: 2 },
  ]);
});
