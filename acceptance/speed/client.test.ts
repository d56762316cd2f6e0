// The client costs little of the available speed: compared with curl, in turn, on the same server.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Waybill } from '../../client/src/index.ts';
import { type Account, createAccount } from '../lib/accounts.ts';
import { Client } from '../lib/http/client.ts';
import { demo } from '../lib/servers/running-demo.ts';

const run = promisify(execFile);
const sizeBytes = 512 * 1024 ** 2;
const rounds = 5;
const timeout = 600_000;

let folder: string;
let path: string;
let sender: Account;
let receiver: Account;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'waybill-speed-'));
  path = join(folder, 'file.bin');
  writeFileSync(path, randomBytes(sizeBytes));
  [sender, receiver] = [await createAccount('speed-sender'), await createAccount('speed-receiver')];
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function makeCurl(account: Account, token: string): (...words: string[]) => Promise<unknown> {
  return (...words) =>
    run('curl', ['-fsS', '-u', `${account.user}:${account.apiKey}`, '-H', `CSRF-Token: ${token}`, ...words]);
}

/** The best of some rounds, in turn, because other load on the machine slows both. */
async function ratio(what: string, curl: () => Promise<unknown>, ours: () => Promise<unknown>): Promise<number> {
  const seconds = { curl: [] as number[], ours: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    for (const [times, work] of [[seconds.curl, curl] as const, [seconds.ours, ours] as const]) {
      const start = performance.now();
      await work();
      times.push((performance.now() - start) / 1000);
    }
  }
  const found = Math.min(...seconds.curl) / Math.min(...seconds.ours);
  const shown = Object.entries(seconds).map(
    ([who, times]) => `${who} ${times.map((time) => time.toFixed(2)).join(' ')} s`,
  );
  process.stdout.write(`${what}: ${shown.join(', ')}; ${found.toFixed(2)} of curl\n`);
  return found;
}

test('an upload', { timeout }, async () => {
  const curl = makeCurl(sender, await new Client(sender).mintToken());
  const client = new Waybill({ baseUrl: demo().base_url, ...sender });
  const url = `${demo().base_url}/${sender.user}/cgi/upload.cgi`;
  const found = await ratio(
    'up',
    () => curl('-H', 'Waybill-Draft: curl', '-F', 'do=upload', '-F', `file=@${path}`, url),
    () => client.uploads.upload(path),
  );
  client.close();
  // The client hashes what it sends, on a machine that it shares with the server.
  expect(found).toBeGreaterThan(0.7);
});

test('a download that is checked and on the disk', { timeout }, async () => {
  const client = new Waybill({ baseUrl: demo().base_url, ...sender });
  await client.send({ files: [path], to: [receiver.user] });
  client.close();
  const puller = new Waybill({ baseUrl: demo().base_url, ...receiver });
  const [entry = { id: '' }] = await puller.inbox.claim();
  const [first = { id: '', name: '', path: '' }] = (await puller.inbox.get(entry.id)).files;
  const file = { ...first, entry: entry.id };
  const curl = makeCurl(receiver, await new Client(receiver).mintToken());
  const target = join(folder, 'fetched.bin');
  const fetch = () => curl('-o', target, `${demo().base_url}/${receiver.user}/${file.entry}/files/${file.name}`);
  const ours = () => puller.downloadToFile(file, target, { overwrite: true });
  await ratio('down, against curl that neither checks the digest nor waits for the disk', fetch, ours);
  const found = await ratio(
    'down, against curl, sha256sum and sync',
    async () => {
      await fetch();
      await run('sh', ['-c', 'sha256sum "$1" && sync "$1"', 'sh', target]);
    },
    ours,
  );
  puller.close();
  expect(found).toBeGreaterThan(0.9);
});
