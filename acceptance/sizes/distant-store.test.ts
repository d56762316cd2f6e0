// A store that takes 50 ms to the first byte of every object, as in most clouds: downloads are hardly slower.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { demoEnvironment } from '../../tools/demo/environment.ts';
import { percentile } from '../../tools/shared/percentile.ts';
import { freshClient } from '../lib/accounts.ts';
import { fullSize } from '../lib/full-size.ts';
import { type Client, succeeded } from '../lib/http/client.ts';
import { openResponse } from '../lib/http/stream.ts';
import { introduce } from '../lib/scenario.ts';
import { type OwnServe, ownServe } from '../lib/servers/own-serve.ts';
import { Keystream } from './keystream.ts';
import { peakMemoryMiB } from './process-memory.ts';
import { uploadStream } from './upload-stream.ts';

const firstByteMs = 50;
const largeBytes = (fullSize ? 1024 : 256) * 1024 ** 2;
const rounds = fullSize ? 7 : 3;
const readers = fullSize ? 500 : 200;
const bytesPerSecond = 100_000;
const seconds = fullSize ? 60 : 20;
const settlingSeconds = 10;

/** A process for each distance, so that it knows no other. */
const open = new AsyncDisposableStack();
let near: { serve: OwnServe; receiver: Client };
let distant: { serve: OwnServe; receiver: Client };
let files: string;
beforeAll(async () => {
  const nearServe = await serveBehind(0);
  const distantServe = await serveBehind(firstByteMs);
  const { baseUrl } = nearServe;
  const [sender, receiver] = [await freshClient('distant-sender', { baseUrl }), await freshClient('distant-receiver')];
  near = { serve: nearServe, receiver: receiver.through(baseUrl) };
  distant = { serve: distantServe, receiver: receiver.through(distantServe.baseUrl) };
  await introduce(sender, [receiver.user]);
  succeeded(await sender.setReceivers([{ email: receiver.user }]));
  succeeded(await sender.files());
  const content = new Keystream(randomBytes(16).toString('hex'));
  await uploadStream(sender, 'large.bin', content, largeBytes);
  await uploadStream(sender, 'slow.bin', content, 2 * bytesPerSecond * (seconds + settlingSeconds));
  succeeded(await sender.createDrop({ ddmessage: 'distant' }));
  files = `${(await receiver.readHistory()).inbox[0]?.url ?? ''}/files`;
});
afterAll(() => open.disposeAsync());

test('a fast download has most of its speed', { timeout: 600_000 }, async () => {
  const download = async ({ receiver }: { receiver: Client }) => {
    const began = performance.now();
    const reply = await openResponse(receiver, `${files}/large.bin`);
    let read = 0;
    reply.on('data', (bytes: Buffer) => (read += bytes.length));
    await once(reply, 'end');
    expect(read).toBe(largeBytes);
    return performance.now() - began;
  };
  for (const side of [near, distant]) await download(side); // warming up
  const times: { near: number; distant: number }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    times.push({ near: await download(near), distant: await download(distant) });
  }
  // The best of each: whatever else runs on the machine can only add to a time.
  const best = (side: 'near' | 'distant') => Math.min(...times.map((round) => round[side]));
  const part = best('near') / best('distant');
  const speed = (ms: number) => `${(largeBytes / 1024 ** 2 / (ms / 1000)).toFixed(0)} MiB/s`;
  report(
    `${speed(best('near'))} without and ${speed(best('distant'))} with ${firstByteMs} ms to the first byte: ${part.toFixed(2)}; at most ${peakMemoryMiB(near.serve.pid).toFixed(0)} and ${peakMemoryMiB(distant.serve.pid).toFixed(0)} MiB`,
  );
  expect(part).toBeGreaterThan(0.6);
});

test(`${readers} readers at ${bytesPerSecond} B/s all have their speed`, { timeout: 600_000 }, async () => {
  const responses = await Promise.all(
    Array.from({ length: readers }, () => openResponse(distant.receiver, `${files}/slow.bin`)),
  );
  expect(new Set(responses.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
  const reading = responses.map((reply) => new PacedReader(reply));
  await pause(settlingSeconds * 1000);
  const before = reading.map(({ readBytes }) => readBytes);
  const began = performance.now();
  await pause(seconds * 1000);
  const tookSeconds = (performance.now() - began) / 1000;
  const speeds = reading.map(({ readBytes }, index) => (readBytes - (before[index] ?? 0)) / tookSeconds);
  for (const reader of reading) reader.stop();
  report(
    `${readers} readers at ${bytesPerSecond} B/s with ${firstByteMs} ms to the first byte: the slowest had ${Math.min(...speeds).toFixed(0)} B/s, the median ${percentile(speeds, 0.5).toFixed(0)} B/s; at most ${peakMemoryMiB(distant.serve.pid).toFixed(0)} MiB`,
  );
  expect(Math.min(...speeds)).toBeGreaterThan(0.9 * bytesPerSecond);
});

async function serveBehind(delayMs: number): Promise<OwnServe> {
  const server = createServer((incoming, outgoing) => void respond(incoming, outgoing, delayMs));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  open.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  const serve = await ownServe({ WAYBILL_S3_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  open.defer(() => serve.stop());
  return serve;
}

/** Objects as they were put. They are returned from here, so that the store does not compete for the processor. */
const objects = new Map<string, Buffer>();

/** Passes a request on to the store, unless it reads what was put here. */
async function respond(incoming: IncomingMessage, outgoing: ServerResponse, delayMs: number): Promise<void> {
  const { method = 'GET', url: path = '/', headers } = incoming;
  if (method === 'GET') await pause(delayMs);
  const key = path.replace(/\?.*/, '');
  const object = objects.get(key);
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? [];
  if (method === 'GET' && object && last !== undefined) {
    const part = object.subarray(Number(first), Number(last) + 1);
    outgoing.writeHead(206, { 'content-length': part.length }).end(part);
    return;
  }
  const body = await buffer(incoming);
  if (method === 'PUT') objects.set(key, body);
  const onward = httpRequest(new URL(path, demoEnvironment()['WAYBILL_S3_ENDPOINT']), {
    method,
    headers,
    agent: false,
  });
  onward.on('error', () => outgoing.destroy());
  onward.on('response', (response) => {
    outgoing.writeHead(response.statusCode ?? 502, response.headers);
    response.pipe(outgoing);
  });
  onward.end(body);
}

/** Takes so many bytes per second and no more, however many it has missed: like a person's line. */
class PacedReader {
  readBytes = 0;
  readonly #response: IncomingMessage;
  readonly #ticks: NodeJS.Timeout;
  #mayRead = 0;
  #lastTick = performance.now();

  constructor(reply: IncomingMessage) {
    this.#response = reply;
    reply.on('error', () => this.stop());
    reply.on('readable', () => this.#read());
    this.#ticks = setInterval(() => this.#read(), 500);
  }

  #read(): void {
    const now = performance.now();
    this.#mayRead = Math.min(bytesPerSecond, this.#mayRead + ((now - this.#lastTick) / 1000) * bytesPerSecond);
    this.#lastTick = now;
    while (this.#mayRead >= 1) {
      const bytes = this.#response.read(
        Math.min(Math.floor(this.#mayRead), this.#response.readableLength || 1),
      ) as Buffer | null;
      if (bytes === null) return;
      this.readBytes += bytes.length;
      this.#mayRead -= bytes.length;
    }
  }

  stop(): void {
    clearInterval(this.#ticks);
    this.#response.destroy();
  }
}

function report(line: string): void {
  process.stdout.write(`distant store: ${line}\n`);
}
