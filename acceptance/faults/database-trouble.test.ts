// PostgreSQL restarted, cut off, and out of space, while clients send: nothing acknowledged is lost.
import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { check } from '../checker/checker.ts';
import { judgeConduct } from '../checker/conduct.ts';
import { Lane, sail } from '../checker/lane.ts';
import { fullSize } from '../lib/full-size.ts';
import { Client } from '../lib/http/client.ts';
import { assertErrorResponse, assertStatus } from '../lib/http/expect.ts';
import { seeded } from '../lib/seeded.ts';
import { OwnPostgres } from '../lib/servers/own-engines.ts';
import { ownExchange } from '../lib/servers/own-exchange.ts';
import type { OwnProcess } from '../lib/servers/own-serve.ts';
import { stopwatch } from '../lib/stopwatch.ts';
import { eventually } from '../lib/wait.ts';
import { databaseThatCanGo } from './database-outage.ts';
import { FaultyWorld } from './faulty-world.ts';

const run = promisify(execFile);
const servedAgainWithinMs = 10_000;
/** Of each trouble. */
const times = fullSize ? 5 : 2;

const troubles: Record<string, (world: FaultyWorld) => Promise<unknown>> = {
  'restarted immediate': (world) => world.postgres.restartImmediately(),
  'killed, and started': async (world) => {
    await world.postgres.kill();
    await world.postgres.start();
  },
  // Three at a time, those inside a transaction first.
  'with backends terminated': (world) => world.terminateBackends(3),
};

test('restarted, killed and with backends terminated under load: nothing acknowledged is lost', {
  timeout: 300_000,
}, async () => {
  await using world = await FaultyWorld.start({ WAYBILL_UPLOAD_LEASE_SECONDS: '5' });
  const random = seeded(7);
  const lanes = await Promise.all([1, 2, 3].map(() => Lane.open(world, random)));
  await using sailing = sail(lanes);
  const { uploads } = sailing;
  for (const [how, trouble] of Object.entries(troubles)) {
    for (let time = 0; time < times; time++) {
      const before = uploads();
      await eventually('they are sending', async () => uploads() > before + 2 || undefined, { everyMs: 5 });
      await trouble(world);
      const [elapsed, after] = [stopwatch(), uploads()];
      await eventually('an upload is taken again', async () => uploads() > after || undefined, { everyMs: 5 });
      const servedMs = Math.round(elapsed());
      process.stdout.write(`PostgreSQL ${how}: served again after ${servedMs} ms\n`);
      expect(servedMs, how).toBeLessThan(servedAgainWithinMs);
    }
  }
  await sailing.end();
  expect(lanes.flatMap(({ problems }) => problems)).toEqual([]);
  const journals = lanes.map(({ journal }) => journal);
  expect(await check(journals, { inside: world.exchange, scanned: true })).toEqual([]);
  expect(await judgeConduct(world.conducts, { memoryMiB: 512, secrets: new Map() })).toEqual([]);
});

test('with its disk full: requests that need space get 503, and succeed when there is space again', {
  timeout: 180_000,
}, async () => {
  await using postgres = await OwnPostgres.start({ mebibytes: 160 });
  await using exchange = await ownExchange({ databaseServer: postgres.url });
  const client = (await exchange.client('full')).impatient();
  assertStatus(await client.upload({ name: 'before.txt', content: 'before' }), 'done');
  const filler = join(postgres.folder, 'filler');
  // Until nothing fits: `dd` then fails with an error.
  await run('dd', ['if=/dev/zero', `of=${filler}`, 'bs=64k']).catch(() => undefined);
  // The tables are not full yet; the free space in them may be used up first.
  let taken = 0;
  const refusal = await eventually(
    'a write is put off',
    async () => {
      const contacts = Array.from({ length: 500 }, (_, index) => ({ email: `${taken}-${index}@example.org` }));
      const response = await client.addContacts(contacts).catch(() => undefined);
      if (response?.status === 200) taken += 1;
      return response?.status === 200 ? undefined : response;
    },
    { withinMs: 60_000 },
  );
  assertErrorResponse(refusal, 503, 'unavailable');
  rmSync(filler);
  // PostgreSQL recovers on its own from what it could not write, or has to be started.
  await postgres.start();
  await eventually('it is served again', async () => {
    const response = await client.upload({ name: 'after.txt', content: 'after' }).catch(() => undefined);
    return response?.status === 200 || undefined;
  });
  expect((await client.readFiles()).map(({ name }) => name).toSorted()).toEqual(['after.txt', 'before.txt']);
  expect(
    await judgeConduct([{ process: exchange.first, name: 'serve' }], { memoryMiB: 512, secrets: new Map() }),
  ).toEqual([]);
});

test('away and back: the log names it with its address and the reason in a few lines, and says when it is back', {
  timeout: 240_000,
}, async () => {
  await using exchange = await ownExchange();
  const { account } = await exchange.client('away');
  await using database = await databaseThatCanGo(exchange.databaseUrl);
  const serve = await exchange.serve({ WAYBILL_DATABASE_URL: database.url });
  const work = await exchange.work({ WAYBILL_DATABASE_URL: database.url });
  const client = new Client(account, { baseUrl: serve.baseUrl }).impatient();
  expect((await client.contacts()).status).toBe(200);
  const follow = ({ said }: OwnProcess) => {
    const before = said.length;
    return () =>
      said.slice(before).map((line) => JSON.parse(line) as Readonly<Record<string, unknown>> & { level: number });
  };
  const [written, writtenByWork] = [follow(serve), follow(work)];
  database.down();
  for (let time = 0; time < 30; time += 1) assertErrorResponse(await client.contacts(), 503, 'unavailable');
  await eventually(
    'the check of the engines has failed',
    async () => written().some(({ msg }) => msg === 'an engine is unavailable') || undefined,
  );
  await eventually(
    'the worker has failed to continue the log',
    async () => writtenByWork().some(({ loop }) => loop === 'sequencer') || undefined,
  );
  database.up();
  // The call that failed has to succeed: an engine that only responds may still have a full disk.
  await eventually('it is served again', async () => (await client.contacts()).status === 200 || undefined);
  const isBack = ({ msg, engine }: Readonly<Record<string, unknown>>) =>
    msg === 'an engine is available again' && engine === 'postgres';
  for (const lines of [written, writtenByWork]) {
    await eventually('it is back', async () => lines().some(isBack) || undefined);
  }
  const { host, pathname } = new URL(database.url);
  for (const [lines, most] of [
    [written(), 8],
    [writtenByWork(), 16],
  ] as const) {
    // A busy machine makes other engines slow.
    const trouble = lines.filter(
      ({ level, msg, engine }) => level > 30 && msg !== 'an engine is slow' && (engine ?? 'postgres') === 'postgres',
    );
    for (const line of trouble) {
      expect(line).toMatchObject({ engine: 'postgres', address: `${host}${pathname}`, reason: expect.any(String) });
      expect(JSON.stringify(line)).not.toMatch(/stack|\\n +at /);
    }
    expect(trouble.length).toBeLessThan(most);
    expect(lines.filter(isBack)).toHaveLength(1);
  }
});
