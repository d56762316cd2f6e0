// A faulty object store: it refuses some requests, loses replies, cuts off what it sends, or sends other bytes.
import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { isDelivered } from '../checker/evidence.ts';
import { fullSize } from '../lib/full-size.ts';
import { type Client, succeeded } from '../lib/http/client.ts';
import { assertErrorResponse, assertStatus } from '../lib/http/expect.ts';
import type { Fate } from '../lib/http/http-proxy.ts';
import type { HttpResponse } from '../lib/http/response.ts';
import { deliver, introduce } from '../lib/scenario.ts';
import { seeded } from '../lib/seeded.ts';
import { stopwatch } from '../lib/stopwatch.ts';
import { eventually } from '../lib/wait.ts';
import { Keystream } from '../sizes/keystream.ts';
import { uploadStream } from '../sizes/upload-stream.ts';
import { FaultyWorld } from './faulty-world.ts';

const chunkBytes = 8 * 1024 * 1024;
const refusedWithinMs = 10_000;

let world: FaultyWorld;
let sender: Client;
let receiver: Client;

beforeAll(async () => {
  world = await FaultyWorld.start();
  [sender, receiver] = [await world.exchange.client('storing'), await world.exchange.client('fetching')];
});
afterEach(() => world.heal());
afterAll(() => world[Symbol.asyncDispose]());

const isPut = ({ method }: IncomingMessage) => method === 'PUT';
const isGet = ({ method }: IncomingMessage) => method === 'GET';

test('503 at p = 0.3: 99 of 100 uploads succeed at once', { timeout: 300_000 }, async () => {
  const random = seeded(30);
  world.s3Fate = () => (random() < 0.3 ? 'refuse' : 'pass');
  const count = fullSize ? 1000 : 200;
  const statuses: number[] = [];
  const waiting = Array.from({ length: count }, (_, index) => index).values();
  await Promise.all(
    Array.from({ length: 4 }, async () => {
      for (const index of waiting) {
        const client = sender.inDraft(`refused-${index % 20}`).impatient();
        statuses.push((await client.upload({ name: `${index}.bin`, content: randomBytes(1000) })).status);
      }
    }),
  );
  const taken = statuses.filter((status) => status === 200).length;
  say(`503 at p = 0.3: ${taken} of ${count} uploads taken`);
  expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
  expect(taken / count).toBeGreaterThanOrEqual(0.99);
});

const largeBytes = fullSize ? 1024 ** 3 : 96 * 1024 ** 2;
test(`an upload of ${largeBytes / 1024 ** 2} MiB outlasts 20 % of PUTs refused, and one lost response`, {
  timeout: 600_000,
}, async () => {
  const random = seeded(20);
  let puts = 0;
  let lost = 0;
  world.s3Fate = (request) => {
    if (!isPut(request)) return 'pass';
    if (++puts === 5) {
      lost += 1;
      return 'lose';
    }
    return random() < 0.2 ? 'refuse' : 'pass';
  };
  const original = new Keystream('outlasting');
  // Over the scanner's limit: it would be refused for that if a scan were required.
  const unscanned = await world.exchange.serve({ WAYBILL_SCAN: 'off', WAYBILL_LISTEN: '127.0.0.1:0' });
  const client = (await world.exchange.client('outlasting')).through(unscanned.baseUrl);
  await introduce(client, [receiver.user]);
  succeeded(await client.setReceivers([{ email: receiver.user }]));
  succeeded(await client.files());
  const digest = await uploadStream(client, 'large.bin', original, largeBytes);
  world.s3Fate = () => 'pass';
  expect(lost).toBe(1);
  assertStatus(await client.createDrop({ desttime: 500_000 }), 'ok');
  const reader = receiver.through(unscanned.baseUrl);
  const entry = (await reader.readHistory()).inbox.find(({ sender: from }) => from === client.user);
  const end = Buffer.from(original.bytes(largeBytes - 1000, largeBytes));
  const tail = await reader.download(entry?.url ?? '', 'large.bin', { Range: 'bytes=-1000' });
  expect(tail.body.equals(end)).toBe(true);
  if (!fullSize) expect(sha256((await reader.download(entry?.url ?? '', 'large.bin')).body)).toBe(digest);
  await unscanned.stop();
});

test('the first response of every PUT lost: each upload succeeds once', { timeout: 120_000 }, async () => {
  const met = new Set<string>();
  world.s3Fate = (request) => {
    const url = request.url ?? '';
    if (!isPut(request) || met.has(url)) return 'pass';
    met.add(url);
    return 'lose';
  };
  const content = randomBytes(2 * chunkBytes + 5);
  const entry = await deliver(sender, receiver, [{ name: 'told-twice.bin', content }], { desttime: 500_000 });
  expect(met.size).toBeGreaterThanOrEqual(3);
  expect(sha256((await receiver.download(entry.url, 'told-twice.bin')).body)).toBe(sha256(content));
});

for (const [how, fault] of [
  ['refused', () => (world.ways.s3.fault = 'refuse')],
  ['silent', () => (world.ways.s3.fault = 'swallow')],
  ['frozen', () => world.gateway.freeze()],
] as const) {
  test(`${how}: an upload gets 503 within ${refusedWithinMs / 1000} s, and nothing of it is listed`, async () => {
    const client = sender.inDraft(`away-${how}`);
    await fault();
    const elapsed = stopwatch();
    assertErrorResponse(await client.impatient().upload({ name: 'a.txt', content: 'a' }), 503, 'unavailable');
    const tookMs = elapsed();
    say(`S3 ${how}: upload put off after ${Math.round(tookMs)} ms`);
    expect(tookMs).toBeLessThan(refusedWithinMs);
    expect(await client.readFiles()).toEqual([]);
  });
}

test('half a second late: uploads and downloads are only slower', async () => {
  world.ways.s3.fault = { delayMs: 500 };
  const entry = await deliver(sender, receiver, [{ name: 'late.txt', content: 'late' }], { desttime: 500_000 });
  expect((await receiver.download(entry.url, 'late.txt')).body.toString()).toBe('late');
});

const spoilt: Record<string, (number: number) => Fate> = {
  'broken off in the first segment': () => ({ cutAfter: 1000 }),
  // After the first piece has been sent, and the status with it.
  'broken off later': (number) => (number === 0 ? 'pass' : { cutAfter: 1000 }),
  'sent with a bit flipped at the start': () => ({ flipAt: 100 }),
  'sent with a bit flipped later': (number) => (number === 0 ? 'pass' : { flipAt: 100 }),
};
for (const [how, fate] of Object.entries(spoilt)) {
  test(`every GET ${how}: an error to the client, never a short or altered 200, and no download is counted`, {
    timeout: 120_000,
  }, async () => {
    const content = randomBytes(chunkBytes + 1000);
    const entry = await deliver(sender, receiver, [{ name: 'spoilt.bin', content }], { desttime: 500_000 });
    let gets = 0;
    world.s3Fate = (request) => (isGet(request) ? fate(gets++) : 'pass');
    const response = await receiver
      .impatient()
      .download(entry.url, 'spoilt.bin')
      .catch((error: Error) => error);
    expect(gets).toBeGreaterThan(0);
    expectNotTaken(response);
    expect(await isDelivered(world.exchange, entry)).toBe(false);
    world.s3Fate = () => 'pass';
    expect(sha256((await receiver.download(entry.url, 'spoilt.bin')).body)).toBe(sha256(content));
    await eventually('it is counted', async () => (await isDelivered(world.exchange, entry)) || undefined);
  });
}

test('one GET broken off in the middle: the client gets every byte all the same, or sees the transfer fail', async () => {
  const content = randomBytes(chunkBytes + 1000);
  const entry = await deliver(sender, receiver, [{ name: 'once.bin', content }], { desttime: 500_000 });
  let cuts = 0;
  world.s3Fate = (request) => (isGet(request) && cuts++ === 0 ? { cutAfter: 3_000_000 } : 'pass');
  const response = await receiver
    .impatient()
    .download(entry.url, 'once.bin')
    .catch((error: Error) => error);
  say(
    `one GET broken off: ${response instanceof Error ? `the transfer failed (${response.message})` : response.status}`,
  );
  if (!(response instanceof Error) && response.status === 200) expect(sha256(response.body)).toBe(sha256(content));
  else expectNotTaken(response);
});

function expectNotTaken(response: HttpResponse | Error): void {
  if (response instanceof Error) expect(response.message).toMatch(/aborted|socket hang up|cut off/);
  else assertErrorResponse(response, [500, 503], ['damaged', 'unavailable']);
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

function say(line: string): void {
  process.stdout.write(`store trouble: ${line}\n`);
}
