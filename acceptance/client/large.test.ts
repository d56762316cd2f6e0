// A file far larger than memory: sent, killed on the way, and downloaded over a connection that breaks.
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Waybill } from '../../client/src/index.ts';
import { type Account, createAccount } from '../lib/accounts.ts';
import { fullSize } from '../lib/full-size.ts';
import { httpProxy } from '../lib/http/http-proxy.ts';
import { demo } from '../lib/servers/running-demo.ts';
import { eventually } from '../lib/wait.ts';
import { writeKeystream } from '../sizes/keystream.ts';
import { peakMemoryIfRunningMiB } from '../sizes/process-memory.ts';
import { ended, Person } from './command.ts';

const sizeBytes = (fullSize ? 2 * 1024 ** 3 : 192 * 1024 ** 2) + 12_345;
const kills = fullSize ? 10 : 3;
/** The bytes that may have to be sent again after a kill. */
const chunkBytes = 8 * 1024 ** 2;
const timeout = 600_000;
const maxMemoryMiB = 150;

let folder: string;
let path: string;
let digest: string;
let sender: Account;
let receiver: Account;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'waybill-large-'));
  path = join(folder, 'large.bin');
  digest = writeKeystream(path, sizeBytes);
  [sender, receiver] = [await createAccount('large-sender'), await createAccount('large-receiver')];
}, timeout);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function drops(account: Account): Promise<string[][]> {
  const client = new Waybill({ baseUrl: demo().base_url, ...account });
  const found: string[][] = [];
  for await (const { id } of client.drops.list()) {
    found.push((await client.drops.get(id)).files.map(({ name }) => name));
  }
  client.close();
  return found;
}

test(`a send that is killed ${kills} times at random makes one drop, in little memory`, { timeout }, async () => {
  let sentBytes = 0;
  await using way = await httpProxy('waybill', demo().base_url, (request) => {
    if (request.url?.includes('/uploads') === true) request.on('data', (bytes: Buffer) => (sentBytes += bytes.length));
    return 'pass';
  });
  using person = new Person(sender, way.baseUrl);
  const words = ['send', path, '--to', receiver.user, '-m', 'large'];
  for (let kill = 1; kill <= kills; kill += 1) {
    const killed = person.start(...words);
    const killedEnd = ended(killed);
    // Somewhere in its own share of the file, so that each run has something to lose.
    const enough = (sizeBytes * (kill - 1 + Math.random())) / (kills + 1);
    await eventually('some of it is sent', async () => (sentBytes > enough ? true : undefined), {
      withinMs: timeout,
      everyMs: 5,
    });
    killed.kill('SIGKILL');
    expect((await killedEnd).signal).toBe('SIGKILL');
  }
  expect(await drops(sender)).toEqual([]);

  const again = person.start(...words);
  let peakMiB = 0;
  const looking = setInterval(() => {
    peakMiB = Math.max(peakMiB, peakMemoryIfRunningMiB(again.pid ?? 0));
  }, 100);
  const { exitCode, stdout, stderr } = await ended(again).finally(() => clearInterval(looking));
  expect({ exitCode, stdout }).toEqual({
    exitCode: 0,
    stdout: expect.stringMatching(/^Sent 1 file .* as WB-.*\n$/) as string,
  });
  expect(stderr).toContain('Resuming an earlier run');
  expect(await drops(sender)).toEqual([['large.bin']]);
  expect(sentBytes).toBeLessThanOrEqual(sizeBytes + kills * chunkBytes);
  expect(peakMiB).toBeGreaterThan(20);
  expect(peakMiB).toBeLessThan(maxMemoryMiB);
});

test('a pull that is cut five times goes on where it was cut, and ends with the same bytes', { timeout }, async () => {
  let cuts = 0;
  await using way = await httpProxy('waybill', demo().base_url, ({ url = '' }) => {
    if (!url.includes('/files/') || cuts >= 5) return 'pass';
    cuts += 1;
    return { cutAfter: sizeBytes / 8 };
  });
  using person = new Person(receiver, way.baseUrl);
  const pulling = person.start('pull', 'in');
  const final = join(person.home, 'in/large.bin');
  let partial = 0;
  const looking = setInterval(() => {
    // Under its name it is complete, or not there.
    if (existsSync(final) && statSync(final).size !== sizeBytes) partial += 1;
  }, 20);
  const { exitCode, stderr } = await ended(pulling).finally(() => clearInterval(looking));
  expect({ exitCode, stderr, partial, troubles: way.troubles }).toEqual({
    exitCode: 0,
    stderr: 'The connection broke off in the middle of the response. Trying again …\n',
    partial: 0,
    troubles: 5,
  });
  const hash = createHash('sha256');
  for await (const piece of createReadStream(final, { highWaterMark: 1024 * 1024 })) hash.update(piece as Buffer);
  expect(hash.digest('hex')).toBe(digest);
  expect(readdirSync(join(person.home, 'in/.waybill')).filter((name) => name.endsWith('.part'))).toEqual([]);
});
