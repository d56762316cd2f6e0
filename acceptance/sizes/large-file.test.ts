// A file far larger than the memory that a transfer may use: up, down and in parts, byte for byte.
import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshClient } from '../lib/accounts.ts';
import { fullSize } from '../lib/full-size.ts';
import { type Client, succeeded } from '../lib/http/client.ts';
import { header } from '../lib/http/response.ts';
import { openResponse } from '../lib/http/stream.ts';
import { entryWith, introduce } from '../lib/scenario.ts';
import { type OwnServe, ownServe } from '../lib/servers/own-serve.ts';
import { Keystream } from './keystream.ts';
import { peakMemoryMiB } from './process-memory.ts';
import { uploadStream } from './upload-stream.ts';

const chunkBytes = 8 * 1024 * 1024;
/** Not a whole number of chunks, segments or blocks. */
const sizeBytes = (fullSize ? 2 * 1024 ** 3 : 640 * 1024 ** 2) + 12_345;
const middleChunk = Math.floor(sizeBytes / chunkBytes / 2);
const maxMemoryMiB = 350;
const transferTimeout = 600_000;

const original = new Keystream(randomBytes(16).toString('hex'));
/**
 * Two processes of our own: the demo's also serve other tests at the same time, and their memory would be counted too.
 */
let serves: OwnServe[] = [];
let sender: Client;
let receiver: Client;
let inboxUrl: string;
let digestSent: string;

beforeAll(async () => {
  serves = await Promise.all([ownServe({}), ownServe({})]);
  const baseUrl = serves[0]?.baseUrl ?? '';
  [sender, receiver] = [await freshClient('large-sender', { baseUrl }), await freshClient('large-receiver')];
});
afterAll(() => Promise.all(serves.map((serve) => serve.stop())));

test('it is taken as it comes', { timeout: transferTimeout }, async () => {
  await introduce(sender, [receiver.user]);
  succeeded(await sender.setReceivers([{ email: receiver.user }]));
  succeeded(await sender.files());
  digestSent = await timed('up', () => uploadStream(sender, 'large.bin', original, sizeBytes));
  expect((await sender.readFiles()).map(({ name, size }) => ({ name, size }))).toEqual([
    { name: 'large.bin', size: fullSize ? '2.1 GB' : '671.1 MB' },
  ]);
  succeeded(await sender.createDrop({ ddmessage: 'large' }));
  expect((await entryWith(sender, 'large')).files.map((file) => file.name)).toEqual(['large.bin']);
  inboxUrl = (await receiver.readHistory()).inbox[0]?.url ?? '';
});

test('and given back byte for byte, by two processes at once', { timeout: transferTimeout }, async () => {
  const digests = await timed('down, twice at once', () => Promise.all(serves.map(downloadDigest)));
  expect(digests).toEqual([digestSent, digestSent]);
});

const ranges: [what: string, start: number, end: number, asked?: string][] = [
  ['the first byte', 0, 1],
  ['the last byte', sizeBytes - 1, sizeBytes],
  ['the last bytes, counted from the end', sizeBytes - 70_000, sizeBytes, 'bytes=-70000'],
  ['from near the end on', sizeBytes - 1_000_000, sizeBytes, `bytes=${sizeBytes - 1_000_000}-`],
  ['the border of the first two chunks', chunkBytes - 1, chunkBytes + 1],
  ['the border of two chunks in the middle', middleChunk * chunkBytes - 100_000, middleChunk * chunkBytes + 100_000],
  ['more than two whole chunks', (middleChunk + 9) * chunkBytes - 5, (middleChunk + 11) * chunkBytes + 5],
];
if (fullSize) ranges.push(['beyond 2 GiB', 2 ** 31 - 10, 2 ** 31 + 10]);

for (const [what, start, end, asked = `bytes=${start}-${end - 1}`] of ranges) {
  test(`a range of it: ${what}`, async () => {
    const response = await receiver.download(inboxUrl, 'large.bin', { Range: asked });
    expect(response.status).toBe(206);
    expect(header(response, 'Content-Range')).toBe(`bytes ${start}-${end - 1}/${sizeBytes}`);
    expect(response.body.equals(original.bytes(start, end))).toBe(true);
  });
}

test(`no process has taken more than ${maxMemoryMiB} MiB for it`, () => {
  const pids = serves.map((serve) => serve.pid);
  const names = ['who took and gave it', 'who only gave it'];
  const peaks = pids.map((pid, index) => ({ name: names[index], peakMiB: Math.round(peakMemoryMiB(pid)) }));
  report(`peak memory: ${peaks.map(({ name, peakMiB }) => `${name} ${peakMiB} MiB`).join(', ')}`);
  for (const { name, peakMiB } of peaks) expect(peakMiB, name).toBeLessThan(maxMemoryMiB);
});

async function downloadDigest({ baseUrl }: OwnServe): Promise<string> {
  const response = await openResponse(receiver.through(baseUrl), `${inboxUrl}/files/large.bin`);
  expect({ status: response.statusCode, length: response.headers['content-length'] }).toEqual({
    status: 200,
    length: String(sizeBytes),
  });
  const digest = createHash('sha256');
  for await (const bytes of response) digest.update(bytes as Buffer);
  return digest.digest('hex');
}

async function timed<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
  const began = performance.now();
  const result = await work();
  const seconds = (performance.now() - began) / 1000;
  report(`${what}: ${seconds.toFixed(1)} s, ${Math.round(sizeBytes / 1024 ** 2 / seconds)} MiB/s each`);
  return result;
}

function report(line: string): void {
  process.stdout.write(`large file: ${line}\n`);
}
