// PgBouncer between Waybill and PostgreSQL, one server connection per session: everything works, including deadlines.
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { check } from '../checker/checker.ts';
import { Lane, laneSettings, sail } from '../checker/lane.ts';
import { seeded } from '../lib/seeded.ts';
import { OwnPgBouncer, OwnPostgres } from '../lib/servers/own-engines.ts';
import { type OwnExchange, ownExchange } from '../lib/servers/own-exchange.ts';
import { eventually } from '../lib/wait.ts';

let stack: AsyncDisposableStack;
let bouncer: OwnPgBouncer;
let exchange: OwnExchange;
beforeAll(async () => {
  stack = new AsyncDisposableStack();
  const postgres = stack.use(await OwnPostgres.start());
  bouncer = stack.use(await OwnPgBouncer.start(postgres.url));
  exchange = stack.use(
    await ownExchange({ databaseServer: postgres.url, through: (url) => bouncer.through(url), settings: laneSettings }),
  );
  await exchange.work();
});
afterAll(() => stack.disposeAsync());

test('dispatches, mails and downloads, also while it is killed and started again', { timeout: 180_000 }, async () => {
  const world = { exchange, serveUrls: [exchange.baseUrl, (await exchange.serve()).baseUrl] };
  const lanes = await Promise.all([1, 2].map((seed) => Lane.open(world, seeded(seed))));
  await using sailing = sail(lanes);
  const { uploads } = sailing;
  for (const time of [1, 2, 3]) {
    const before = uploads();
    await eventually(`ten uploads, part ${time}`, async () => uploads() >= before + 10 || undefined);
    await bouncer.kill();
    await bouncer.start();
  }
  const before = uploads();
  await eventually('uploads after the last start', async () => uploads() >= before + 10 || undefined);
  await sailing.end();
  expect(lanes.flatMap(({ problems }) => problems)).toEqual([]);
  const journals = lanes.map(({ journal }) => journal);
  expect(await check(journals, { inside: exchange, scanned: true })).toEqual([]);
});

test('a statement that takes too long is cancelled by PostgreSQL', { timeout: 180_000 }, async () => {
  const client = (await exchange.client('waits')).impatient();
  await client.contacts();
  const other = new pg.Client({ connectionString: exchange.databaseUrl });
  await other.connect();
  try {
    await other.query('begin');
    await other.query('lock table contacts in access exclusive mode');
    const response = await client.contacts();
    expect(response.status).toBe(503);
    const waiting =
      "select query from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    expect(await exchange.query(waiting)).toEqual([]);
    const cancelled = exchange.first.said.filter((line) => line.includes('statement timeout'));
    expect(cancelled).not.toEqual([]);
  } finally {
    await other.end();
  }
});
