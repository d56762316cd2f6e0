// All files of a drop as one ZIP, far larger than the memory that a transfer may use, as a receiver gets it.
import { execFile, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshClient, uniqueAddress } from '../lib/accounts.ts';
import { fullSize } from '../lib/full-size.ts';
import { succeeded } from '../lib/http/client.ts';
import { request } from '../lib/http/request.ts';
import { header } from '../lib/http/response.ts';
import { readReceiverState, type Sent, sentTo } from '../lib/people/receiver.ts';
import { introduce } from '../lib/scenario.ts';
import { type OwnServe, ownServe } from '../lib/servers/own-serve.ts';
import { demo } from '../lib/servers/running-demo.ts';
import { Keystream } from './keystream.ts';
import { peakMemoryMiB } from './process-memory.ts';
import { uploadStream } from './upload-stream.ts';

const unit = fullSize ? 1024 ** 3 : 64 * 1024 ** 2;
/** Together 3 GiB at full size, so that the last one begins beyond 2 GiB; only the last is a whole number of chunks. */
const sizes: Record<string, number> = {
  'first.bin': 1.5 * unit - 12_345,
  'smörgås.bin': 0.75 * unit + 12_345,
  'last.bin': 0.75 * unit,
};
const cuts = 5;
const maxMemoryMiB = 350;
const transferTimeout = 900_000;
const run = promisify(execFile);
/** unzip prints names according to the locale. */
const env = { ...process.env, LC_ALL: 'C.UTF-8' };

const digests: Record<string, string> = {};
/**
 * Two processes of our own: the demo's also serve other tests at the same time, and their memory would be counted too.
 * One receives the files and the other sends the ZIP, because otherwise the memory of the uploads would hide that of
 * the ZIP.
 */
let serves: OwnServe[] = [];
let folder: string;
let zip: string;
let sent: Sent;
let page: string;
let cookie: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'waybill-zip-'));
  zip = join(folder, 'all.zip');
  serves = await Promise.all([ownServe({}), ownServe({})]);
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await Promise.all(serves.map((serve) => serve.stop()));
});

test('3 GiB in three files are sent', { timeout: transferTimeout }, async () => {
  const sender = await freshClient('zip-sender', { baseUrl: taker().baseUrl });
  const receiver = uniqueAddress('receiver');
  await introduce(sender, [receiver]);
  succeeded(await sender.setReceivers([{ email: receiver }]));
  succeeded(await sender.files());
  for (const [name, sizeBytes] of Object.entries(sizes)) {
    digests[name] = await uploadStream(sender, name, new Keystream(randomBytes(16).toString('hex')), sizeBytes);
  }
  succeeded(await sender.createDrop({ ddmessage: 'large' }));
  sent = await sentTo(receiver);
});

test('the receiver opens the link', async () => {
  const response = await request(giver().baseUrl, 'POST', new URL(sent.link).pathname, {
    headers: { Host: publicHost(), 'Content-Type': 'application/x-www-form-urlencoded' },
    body: 'gesture=pressed',
  });
  expect(response.status).toBe(303);
  page = header(response, 'Location') ?? '';
  cookie = header(response, 'Set-Cookie')?.split(';', 1)[0] ?? '';
});

test(`cut ${cuts} times and resumed, the ZIP is the same bytes, and unzip finds nothing wrong`, {
  timeout: transferTimeout,
}, async () => {
  const began = performance.now();
  const first = await openZip();
  first.destroy();
  const { etag = '', 'content-length': length } = first.headers;
  const sizeBytes = Number(length);
  expect(sizeBytes).toBeGreaterThan(3 * unit);
  const file = await open(zip, 'w');
  let received = 0;
  for (let part = 1; part <= cuts + 1; part += 1) {
    expect(await readReceiverState(sent)).toMatchObject({ complete: false });
    const until =
      part > cuts ? sizeBytes : received + Math.ceil(Math.random() * ((2 * (sizeBytes - received)) / (cuts + 2)));
    const response = await openZip({ Range: `bytes=${received}-`, 'If-Range': etag });
    expect([response.statusCode, response.headers['content-range']]).toEqual([
      206,
      `bytes ${received}-${sizeBytes - 1}/${sizeBytes}`,
    ]);
    for await (const bytes of response as AsyncIterable<Buffer>) {
      await file.write(bytes);
      received += bytes.length;
      // Leaving the loop cuts the connection.
      if (received >= until) break;
    }
  }
  await file.close();
  const seconds = (performance.now() - began) / 1000;
  report(`down: ${seconds.toFixed(1)} s, ${Math.round((3 * unit) / 1024 ** 2 / seconds)} MiB/s`);
  expect(statSync(zip).size).toBe(sizeBytes);
  await expect.poll(() => readReceiverState(sent)).toEqual({ opened: true, complete: true, deliveries: 3 });
  expect((await run('unzip', ['-t', zip], { env })).stdout).toContain('No errors detected in compressed data');
  expect(await computeDigest(createReadStream(zip))).toBe(await computeDigest(await openZip()));
});

test('every file in it is the one that was sent', { timeout: transferTimeout }, async () => {
  const { stdout } = await run('unzip', ['-Z1', zip], { env });
  expect(stdout.trimEnd().split('\n')).toEqual(Object.keys(sizes));
  for (const [name, digest] of Object.entries(digests)) expect(await digestInZip(name), name).toBe(digest);
});

test(`no process has taken more than ${maxMemoryMiB} MiB for it`, () => {
  const peaks = [taker(), giver()].map(({ pid }) => Math.round(peakMemoryMiB(pid)));
  report(`peak memory: who took the files ${peaks[0]} MiB, who gave the ZIP ${peaks[1]} MiB`);
  for (const peakMiB of peaks) expect(peakMiB).toBeLessThan(maxMemoryMiB);
});

function taker(): OwnServe {
  return serves[0] as OwnServe;
}

function giver(): OwnServe {
  return serves[1] as OwnServe;
}

function publicHost(): string {
  return new URL(demo().base_url).host;
}

async function openZip(headers: Record<string, string> = {}): Promise<IncomingMessage> {
  const outgoing = httpRequest(`${giver().baseUrl}${page}all.zip`, {
    headers: { Host: publicHost(), Cookie: cookie, ...headers },
    agent: false,
  }).end();
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  return response;
}

async function digestInZip(name: string): Promise<string> {
  const unzip = spawn('unzip', ['-p', zip, name], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  return computeDigest(unzip.stdout);
}

async function computeDigest(stream: AsyncIterable<Buffer>): Promise<string> {
  const digest = createHash('sha256');
  for await (const bytes of stream) digest.update(bytes);
  return digest.digest('hex');
}

function report(line: string): void {
  process.stdout.write(`zip: ${line}\n`);
}
