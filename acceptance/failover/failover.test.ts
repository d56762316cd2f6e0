// PostgreSQL under Patroni, with HAProxy and PgBouncer in front of it. Whatever server is lost or replaced under load:
// nothing acknowledged is lost, requests are soon served again, and no process ends.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { check } from '../checker/checker.ts';
import { judgeConduct } from '../checker/conduct.ts';
import { Lane, laneSettings, sail } from '../checker/lane.ts';
import { seeded } from '../lib/seeded.ts';
import { type OwnExchange, ownExchange } from '../lib/servers/own-exchange.ts';
import { eventually } from '../lib/wait.ts';
import { PatroniCluster } from './patroni-cluster.ts';

const servedAgainWithinMs = 30_000;
const timeout = 600_000;

let stack: AsyncDisposableStack;
let cluster: PatroniCluster;
let exchange: OwnExchange;
let serveUrls: string[];
beforeAll(async () => {
  stack = new AsyncDisposableStack();
  cluster = stack.use(await PatroniCluster.start());
  exchange = stack.use(
    await ownExchange({
      databaseServer: cluster.url,
      through: (url) => cluster.bouncer.through(url),
      settings: laneSettings,
    }),
  );
  serveUrls = [exchange.baseUrl, (await exchange.serve()).baseUrl];
  await exchange.work();
});
afterAll(() => stack.disposeAsync());

/**
 * Causes the trouble under load, waits until requests are served again, and ends it with the function that `trouble`
 * returns.
 */
async function underLoad(what: string, times: number, trouble: () => Promise<() => Promise<void>>): Promise<void> {
  const world = { exchange, serveUrls };
  const lanes = await Promise.all([1, 2, 3].map((seed) => Lane.open(world, seeded(seed))));
  await using sailing = sail(lanes);
  const { uploads } = sailing;
  const more = async (count: number, withinMs: number) => {
    const before = uploads();
    await eventually(`${count} uploads`, async () => uploads() >= before + count || undefined, {
      withinMs,
      everyMs: 5,
    });
  };
  for (let time = 1; time <= times; time++) {
    await cluster.settled();
    await more(5, 60_000);
    const began = performance.now();
    const end = await trouble();
    // Those that were almost done do not show that requests are served again.
    await more(lanes.length + 1, 2 * servedAgainWithinMs);
    const servedMs = performance.now() - began;
    process.stdout.write(`${what}, time ${time}: served again after ${(servedMs / 1000).toFixed(1)} s\n`);
    expect(servedMs, what).toBeLessThan(servedAgainWithinMs);
    await end();
  }
  await cluster.settled();
  await more(5, 60_000);
  await sailing.end();
  expect(lanes.flatMap(({ problems }) => problems)).toEqual([]);
  const journals = lanes.map(({ journal }) => journal);
  expect(await check(journals, { inside: exchange, scanned: true })).toEqual([]);
  const conducts = exchange.processes.map((process) => ({ process, name: `process ${process.pid}` }));
  expect(await judgeConduct(conducts, { memoryMiB: 512, secrets: new Map() })).toEqual([]);
}

test('the primary is killed, three times', { timeout }, async () => {
  await underLoad('primary killed', 3, () => cluster.kill('leader'));
});

test('the synchronous standby is killed', { timeout }, async () => {
  await underLoad('synchronous standby killed', 1, () => cluster.kill('sync_standby'));
});

test('the primary is switched over', { timeout }, async () => {
  await underLoad('switchover', 1, async () => {
    await cluster.switchOver();
    return async () => undefined;
  });
});
