// An account with 100,000 drops: its history begins as soon as a short one, and needs no more memory or database time.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { demoEnvironment } from '../../tools/demo/environment.ts';
import { percentile } from '../../tools/shared/percentile.ts';
import { freshClient } from '../lib/accounts.ts';
import { type Client, succeeded } from '../lib/http/client.ts';
import { openResponse } from '../lib/http/stream.ts';
import { query } from '../lib/servers/exchange-internals.ts';
import { type OwnServe, ownServe } from '../lib/servers/own-serve.ts';
import { eventually } from '../lib/wait.ts';
import { readHistoryStream } from './history-stream.ts';
import { insertDrops, refreshStatistics } from './many-drops.ts';
import { memoryMiB } from './process-memory.ts';

const many = 100_000;
const few = 10;
/**
 * The garbage collector lets a process grow by about 100 MiB before it collects. With a heap smaller than the response
 * it has to collect, and any growth is then memory that is really held. New objects have the usual space nevertheless:
 * with what so small a heap would leave them, the process would do little else than collect.
 */
const heapMiB = 96;
const newObjectsMiB = 16;
/** Lets the database tell its connections from all others. */
const applicationName = 'waybill-history';
/** Fewer than the readers that will stall: if one of them held a connection, none would be left. */
const connections = 2;
const standingReaders = 3;
/** Seconds on an idle machine; a busy one takes longer. */
const readingTimeout = 300_000;

let serve: OwnServe;
let long: Client;
let short: Client;

beforeAll(async () => {
  const database = new URL(demoEnvironment()['WAYBILL_DATABASE_URL'] ?? '');
  database.searchParams.set('application_name', applicationName);
  serve = await ownServe({
    WAYBILL_DATABASE_URL: database.href,
    WAYBILL_DATABASE_CONNECTIONS: String(connections),
    NODE_OPTIONS: `--max-old-space-size=${heapMiB} --max-semi-space-size=${newObjectsMiB}`,
  });
  long = await clientWith(many);
  short = await clientWith(few);
  await refreshStatistics();
});
afterAll(() => serve.stop());

test('its first byte comes within three times what ten drops take', async () => {
  const [times, entryTimes] = [new Map<Client, number[]>(), new Map<Client, number[]>()];
  for (let turn = -5; turn < 25; turn++) {
    // In turn, and each as often after the other as after itself, so that other load affects both equally.
    for (const client of turn % 2 === 0 ? [short, long] : [long, short]) {
      const { firstByteMs, firstEntryMs } = await timeToFirst(client);
      if (turn < 0) continue; // warming up
      times.set(client, [...(times.get(client) ?? []), firstByteMs]);
      entryTimes.set(client, [...(entryTimes.get(client) ?? []), firstEntryMs]);
    }
  }
  const shown = (name: string, of: Map<Client, number[]>) =>
    `${name}: ${few} drops ${median(of.get(short)).toFixed(1)} ms, ${many} drops ${median(of.get(long)).toFixed(1)} ms`;
  report(shown('first byte', times));
  report(shown('first entry', entryTimes));
  expect(median(times.get(long))).toBeLessThan(3 * median(times.get(short)));
});

test('readers that stall hold no connection and no transaction; all of it arrives, and the process hardly grows', {
  timeout: readingTimeout,
}, async () => {
  for (let i = 0; i < 100; i++) await short.readHistory(); // warming up
  const before = memoryMiB(serve.pid);
  const responses = await Promise.all(
    Array.from({ length: standingReaders }, () => openResponse(long, 'cgi/get_history.cgi')),
  );
  try {
    // No one continues to read. The system's buffers fill up, and from then on no work may happen behind them.
    await databaseAtRest();
    // Others are served meanwhile, with more simultaneous requests than there are connections: without a free one it
    // would be 503.
    await Promise.all(Array.from({ length: standingReaders }, async () => succeeded(await short.history())));
    await databaseAtRest();
    // A reader that continues misses nothing.
    const [first] = responses;
    if (!first) throw new Error('there is no response');
    const samples: number[] = [];
    const began = performance.now();
    const seen = await countEntries(first, () => {
      samples.push(memoryMiB(serve.pid));
    });
    const seconds = (performance.now() - began) / 1000;
    const max = Math.max(...samples);
    report(
      `${seen.entries} entries, ${Math.round(seen.bytes / 1024 ** 2)} MiB in ${seconds.toFixed(1)} s; memory before ` +
        `${before.toFixed(0)}, most ${max.toFixed(0)}, after ${memoryMiB(serve.pid).toFixed(0)} MiB`,
    );
    expect(seen.bytes, 'the response').toBeGreaterThan(heapMiB * 1024 ** 2);
    expect(seen).toMatchObject({ entries: many, distinct: many, liveDrops: String(many), inOrder: true });
    expect(samples.length).toBeGreaterThan(100);
    expect(max - before).toBeLessThan(heapMiB);
  } finally {
    for (const response of responses) response.destroy();
  }
});

async function clientWith(drops: number): Promise<Client> {
  const client = await freshClient('historian', { baseUrl: serve.baseUrl });
  await insertDrops(client.user, drops);
  return client;
}

async function timeToFirst(client: Client): Promise<{ firstByteMs: number; firstEntryMs: number }> {
  await client.token();
  // The previous request was aborted. What it left unfinished, in the database and in the process, must not delay this
  // one.
  await eventually('the database at rest', async () => ((await busyConnections()) === 0 ? true : undefined), {
    everyMs: 5,
  });
  succeeded(await client.contacts());
  const began = performance.now();
  const response = await openResponse(client, 'cgi/get_history.cgi');
  let firstByteMs: number | undefined;
  let text = '';
  for await (const bytes of response) {
    firstByteMs ??= performance.now() - began;
    text += String(bytes);
    if (text.includes('"drop_type"')) break; // leaving the loop closes the connection
  }
  return { firstByteMs: firstByteMs ?? Number.NaN, firstEntryMs: performance.now() - began };
}

async function countEntries(response: AsyncIterable<Buffer>, everySoOften: () => void = () => undefined) {
  const messages = new Set<string>();
  let [entries, bytes, earlier, inOrder] = [0, 0, Number.POSITIVE_INFINITY, true];
  const counted = async function* () {
    for await (const piece of response) {
      bytes += piece.length;
      yield piece;
    }
  };
  const rest = await readHistoryStream(counted(), (entry) => {
    entries += 1;
    if (entries % 500 === 0) everySoOften();
    messages.add(entry.ddmessage);
    inOrder &&= Number(entry.create_time) <= earlier && entry.receivers.length === 2 && entry.files.length === 1;
    earlier = Number(entry.create_time);
  });
  return { entries, bytes, distinct: messages.size, inOrder, liveDrops: rest.live_drops };
}

/** No query and no transaction, thirty times in a row. */
async function databaseAtRest(): Promise<void> {
  let quietSamples = 0;
  await eventually('the database at rest for a while', async () => {
    quietSamples = (await busyConnections()) === 0 ? quietSamples + 1 : 0;
    return quietSamples === 30 ? true : undefined;
  });
}

/** Connections of this test's process that are running a query or have an open transaction. */
async function busyConnections(): Promise<number> {
  const rows = await query<{ state: string }>('select state from pg_stat_activity where application_name = $1', [
    applicationName,
  ]);
  expect(rows.length, 'connections the database knows of').toBeGreaterThan(0);
  return rows.filter(({ state }) => state !== 'idle').length;
}

function median(values: number[] = []): number {
  return percentile(values, 0.5);
}

function report(line: string): void {
  process.stdout.write(`long history: ${line}\n`);
}
