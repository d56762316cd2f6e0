// Writers that commit in any order, a transaction that stays open, and readers that are killed: each reader ends up
// with every event once, and the events of each drop in order. `npm run lab -- events-storm` runs it at full size.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { useTestExchange } from '../../../../test/exchange.ts';
import { buildTestServer } from '../../../../test/server.ts';
import { ExchangeError } from '../../../domain/exchange-error.ts';
import type { Store } from '../../../domain/store.ts';

const isFullSize = process.env['WAYBILL_EVENTS_STORM'] === '1';
const size = isFullSize
  ? { events: 50_000, readers: 4, kills: 100, heldMs: 30_000 }
  : { events: 2_000, readers: 2, kills: 6, heldMs: 1_500 };
const writers = 20;

const exchange = await useTestExchange();

/** Appends the events that it reads and the next cursor as one line; a line that a kill cut off does not count. */
const readerProgram = `
  const { appendFileSync, readFileSync } = require('node:fs');
  const [address, key, file] = process.argv.slice(1);
  const last = readFileSync(file, 'utf8').split('\\n').at(-2);
  let after = last === undefined ? '' : '&cursor=' + JSON.parse(last).cursor;
  (async () => {
    for (;;) {
      const response = await fetch(address + '/api/v1/events?wait=1' + after, { headers: { authorization: 'Bearer ' + key } });
      if (!response.ok) throw new Error(await response.text());
      const { data, next_cursor: cursor } = await response.json();
      appendFileSync(file, JSON.stringify({ cursor, events: data.map(({ id, data }) => [id, data.drop_id, data.files]) }) + '\\n');
      after = '&cursor=' + cursor;
    }
  })();`;

type ReadEvent = [id: string, dropId: string, number: number];

/** Starts a consumer in a process of its own, whose only memory is a file. */
function consumer(address: string, key: string, file: string) {
  writeFileSync(file, '');
  let child: ChildProcess;
  let sizeAtStart = 0;
  const start = () => {
    sizeAtStart = statSync(file).size;
    child = spawn(process.execPath, ['-e', readerProgram, address, key, file], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  };
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    // A line that the kill cut off does not count.
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.slice(0, text.lastIndexOf('\n') + 1));
  };
  start();
  return {
    kill,
    /** Whether it has read anything since it was started. */
    hasRead: () => statSync(file).size > sizeAtStart,
    async killAndRestart() {
      await kill();
      start();
    },
    read: (): ReadEvent[] =>
      readFileSync(file, 'utf8')
        .split('\n')
        .slice(0, -1)
        .flatMap((line) => (JSON.parse(line) as { events: ReadEvent[] }).events),
  };
}

test('no event is missed, repeated or out of order', async () => {
  const { accountId, apiKey } = await exchange.account();
  const { store } = exchange.engines;
  const folder = mkdtempSync(join(tmpdir(), 'waybill-events-'));
  const server = buildTestServer(exchange);
  const address = await server.listen({ port: 0, host: '127.0.0.1' });
  const consumers = Array.from({ length: size.readers }, (_, index) =>
    consumer(address, apiKey, join(folder, `${index}`)),
  );
  onTestFinished(async () => {
    await Promise.all(consumers.map(({ kill }) => kill()));
    await server.close();
    rmSync(folder, { recursive: true });
  });

  const makeEvent = (dropId: string, number: number) =>
    ({ accountId, type: 'drop.created', data: { drop_id: dropId, receivers: 1, files: number } }) as const;
  /** Retries, because on a busy machine a transaction may find no connection in time. */
  const patiently = async (work: (tx: Store) => Promise<void>): Promise<void> => {
    try {
      await store.transaction(work);
    } catch (error) {
      if (!(error instanceof ExchangeError)) throw error;
      await patiently(work);
    }
  };
  const heldDrop = randomUUID();
  const held = store.transaction(async (tx) => {
    await tx.events.append([makeEvent(heldDrop, 1)]);
    // Shorter than a transaction may be idle.
    for (let part = 0; part < 10; part += 1) {
      await pause(size.heldMs / 10);
      await tx.events.append([makeEvent(heldDrop, part + 2)]);
    }
  });
  const write = async () => {
    const [dropId, count] = [randomUUID(), size.events / writers];
    for (let number = 1; number <= count; ) {
      const events = Array.from({ length: Math.min(randomInt(1, 6), count - number + 1) }, () => number++);
      const fails = randomInt(20) === 0;
      const work = patiently(async (tx) => {
        await tx.events.append(events.map((each) => makeEvent(dropId, each)));
        if (randomInt(4) === 0) await pause(randomInt(20));
        if (fails) throw new Error('rolled back');
      });
      if (!fails) await work;
      else {
        await expect(work).rejects.toThrow('rolled back');
        number = events[0] as number;
      }
    }
  };
  const written = new AbortController();
  const writing = Promise.all([held, ...Array.from({ length: writers }, write)]).finally(() => written.abort());
  for (let kill = 0; kill < size.kills && !written.signal.aborted; kill += 1) {
    const victim = consumers[kill % consumers.length] as ReturnType<typeof consumer>;
    while (!victim.hasRead() && !written.signal.aborted) await pause(5);
    await pause(randomInt(50));
    await victim.killAndRestart();
  }
  await writing;

  const expected = size.events + 11;
  for (const { read, kill } of consumers) {
    await expect.poll(() => read().length, { timeout: 120_000, interval: 100 }).toBeGreaterThanOrEqual(expected);
    await kill();
    const events = read();
    expect(new Set(events.map(([id]) => id)).size).toBe(expected);
    expect(events).toHaveLength(expected);
    const drops = Map.groupBy(events, ([, dropId]) => dropId);
    expect(drops.size).toBe(writers + 1);
    for (const ofDrop of drops.values()) {
      expect(ofDrop.map(([, , number]) => number)).toEqual(ofDrop.map((_, index) => index + 1));
    }
  }
}, 600_000);
