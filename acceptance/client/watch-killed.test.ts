// A watched folder into which several programs write, while the watch is killed at any moment, and on request while the server
// and its engines fail as well: every complete file is sent exactly once, and no half one.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { Waybill } from '../../client/src/index.ts';
import { FaultyWorld } from '../faults/faulty-world.ts';
import { injectFaults } from '../faults/storm-faults.ts';
import { type Account, createAccount } from '../lib/accounts.ts';
import { seeded } from '../lib/seeded.ts';
import { demo } from '../lib/servers/running-demo.ts';
import { ended, Person } from './command.ts';
import type { WriterOrders, WrittenContent } from './folder-writer.ts';

const fileCount = Number(process.env['WAYBILL_WATCH_STORM_FILES'] ?? 80);
const kills = Number(process.env['WAYBILL_WATCH_STORM_KILLS'] ?? 4);
const seed = Number(process.env['WAYBILL_STORM_SEED'] ?? Date.now() % 1_000_000);
/** Together they take about as long as the kills. */
/** Whether the server has the faults of the storm meanwhile. */
const hasFaults = process.env['WAYBILL_WATCH_STORM_FAULTS'] === '1';
/** Faults follow one another as in the storm, but leave the server some time for its work. */
const maxFaultPauseMs = 2_000;
const writerCount = Math.min(32, Math.ceil((0.4 * fileCount) / kills));
const settleSeconds = 1;
/** The time between two kills is random, up to this. A process needs one to two seconds for its first file. */
const maxUpMs = 4_500;
/** A writer that was halted for longer may have left a file unchanged between two looks. */
const maxGapMs = settleSeconds * 900;
const writerPath = fileURLToPath(new URL('folder-writer.ts', import.meta.url));

interface ReceivedFile {
  name: string;
  sha256: string | null;
}

/** The server, and what fails in it until the faults end. */
interface Place extends AsyncDisposable {
  readonly baseUrl: string;
  readonly databaseUrl?: string;
  readonly endFaults: () => Promise<number>;
}

async function findPlace(random: () => number): Promise<Place> {
  if (!hasFaults) {
    return { baseUrl: demo().base_url, endFaults: async () => 0, [Symbol.asyncDispose]: async () => undefined };
  }
  // Nothing expires meanwhile.
  const world = await FaultyWorld.start({ WAYBILL_LIFETIME_UNIT: 'days', WAYBILL_LIFETIME_MAX: '30' });
  const faults = injectFaults(world, random, maxFaultPauseMs);
  const endFaults = async () => {
    await faults[Symbol.asyncDispose]();
    return faults.count;
  };
  return {
    baseUrl: world.exchange.baseUrl,
    databaseUrl: world.exchange.databaseUrl,
    endFaults,
    async [Symbol.asyncDispose]() {
      await endFaults();
      await world[Symbol.asyncDispose]();
    },
  };
}

async function readInbox(account: Account, baseUrl: string): Promise<ReceivedFile[]> {
  const client = new Waybill({ baseUrl, ...account });
  const files: ReceivedFile[] = [];
  for await (const { id } of client.inbox.list()) {
    for (const { name, sha256 } of (await client.inbox.get(id)).files) files.push({ name, sha256 });
  }
  client.close();
  return files;
}

async function digestFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

/** The receipts of a folder, each compared with the file beside it, unless somebody still wrote to that afterwards. */
async function readReceipts(folder: string): Promise<{ name: string; sha256: string | null }[]> {
  const paths = readdirSync(join(folder, 'sent'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.receipt.json'))
    .map((path) => join(folder, 'sent', path));
  const receipts = [];
  for (const path of paths) {
    const { file, sha256 } = JSON.parse(readFileSync(path, 'utf8')) as { file: string; sha256: string };
    if (!file.startsWith('overwritten-')) expect(await digestFile(path.replace(/\.receipt\.json$/, ''))).toBe(sha256);
    receipts.push({ name: file, sha256 });
  }
  return receipts;
}

test.each([
  ['after two looks', false],
  ['with markers', true],
])(
  `${kills} kills of a watch while ${fileCount} files are written, sent %s: each is sent once and whole`,
  {
    timeout: 3_600_000,
  },
  async (_how, marker) => {
    const began = performance.now();
    const random = seeded(seed);
    await using place = await findPlace(random);
    const makeAccount = (label: string) => createAccount(label, undefined, place.databaseUrl);
    const [sender, receiver] = [await makeAccount('watch-sender'), await makeAccount('watch-receiver')];
    using person = new Person(sender, place.baseUrl);
    const folder = join(person.home, 'out');
    mkdirSync(folder);
    const words = ['watch', folder, '--to', receiver.user, '--no-mail', '--settle', String(settleSeconds)];
    if (marker) words.push('--marker');

    const orders = { folder, files: Math.ceil(fileCount / writerCount), seed, maxGapMs, marker };
    const writers = Array.from({ length: writerCount }, (_, writer) =>
      ended(spawn(process.execPath, [writerPath, JSON.stringify({ ...orders, writer } satisfies WriterOrders)])),
    );
    const end = new AbortController();
    const allWritten = Promise.all(writers).finally(() => end.abort());
    let [errors, killed, interrupted] = ['', 0, 0];
    for (; !end.signal.aborted || killed < kills; killed += 1) {
      const watch = person.start(...words, '--every', '1');
      const killedWatch = ended(watch);
      await pause(random() * maxUpMs);
      watch.kill('SIGKILL');
      errors += (await killedWatch).stderr;
      if (existsSync(join(folder, 'sending'))) interrupted += readdirSync(join(folder, 'sending')).length;
    }
    const written: WrittenContent[] = [];
    for (const { exitCode, stdout, stderr } of await allWritten) {
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
      written.push(
        ...stdout
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as WrittenContent),
      );
    }
    const stormSeconds = (performance.now() - began) / 1000;
    const faults = await place.endFaults();
    // The rest. A file that changed once more, or whose request a killed process had begun, needs another run, and so does a
    // server that recovers from the last fault.
    let last = await ended(person.start(...words, '--once'));
    for (let run = 1; [5, 8].includes(last.exitCode ?? 0) && run < 10; run += 1)
      last = await ended(person.start(...words, '--once'));
    expect({ exitCode: last.exitCode, stderr: last.stderr, seed }).toEqual({ exitCode: 0, stderr: '', seed });

    const received = await readInbox(receiver, place.baseUrl);
    const late = new Set(written.filter(({ isLate }) => isLate).map(({ name }) => name));
    const known = new Map(written.map((content) => [content.sha256, content]));
    const counts = Map.groupBy(received, ({ sha256 }) => sha256 ?? '');
    const half = received.filter(({ name, sha256 }) => !known.has(sha256 ?? '') && !late.has(name));
    const repeated = [...counts.values()].filter((same) => same.length > 1).map(([file]) => file);
    const lost = written.filter((one) => !one.mayBeMissing && !late.has(one.name) && !counts.has(one.sha256));
    expect({ seed, half, repeated, lost }).toEqual({ seed, half: [], repeated: [], lost: [] });

    const byDigest = (a: ReceivedFile, b: ReceivedFile) => (a.sha256 ?? '').localeCompare(b.sha256 ?? '');
    expect((await readReceipts(folder)).toSorted(byDigest)).toEqual(received.toSorted(byDigest));
    expect(readdirSync(join(folder, 'sending'))).toEqual([]);
    expect(readdirSync(join(folder, 'failed'))).toEqual([]);
    const changed = errors.match(/changed while it was being sent/g)?.length ?? 0;
    const summary = {
      killed,
      faults,
      interrupted,
      written: written.length,
      received: received.length,
      late: late.size,
      changed,
    };
    process.stdout.write(`${JSON.stringify({ marker, seed, ...summary, seconds: Math.round(stormSeconds) })}\n`);
  },
);
