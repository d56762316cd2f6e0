// Connections that are held without being used: each is cut, and nothing of it remains.
import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freshClient } from '../lib/accounts.ts';
import type { Client } from '../lib/http/client.ts';
import { deliver } from '../lib/scenario.ts';
import { type OwnServe, ownServe } from '../lib/servers/own-serve.ts';
import { demo } from '../lib/servers/running-demo.ts';
import { eventually } from '../lib/wait.ts';

/** More than the kernel buffers. */
const sizeBytes = 48 * 1024 * 1024;
/** Peers are checked every few seconds, and the machine may be busy. */
const toleranceMs = 15_000;
const timeout = 150_000;

let serve: OwnServe;
let client: Client;
let receiver: Client;
let inboxUrl: string;
let descriptorsBefore: number;
const descriptors = () => readdirSync(`/proc/${serve.pid}/fd`).length;

beforeAll(async () => {
  serve = await ownServe({});
  client = await freshClient('slow', { baseUrl: serve.baseUrl });
  receiver = await freshClient('stalled', { baseUrl: serve.baseUrl });
  ({ url: inboxUrl } = await deliver(client, receiver, [{ name: 'large.bin', content: randomBytes(sizeBytes) }]));
  descriptorsBefore = descriptors();
}, timeout);
afterAll(() => serve.stop());

/** Writes the head of a request without the empty line that would end it. */
async function makeHead(asking: Client, method: string, path: string): Promise<string> {
  return [
    `${method} /${asking.user}/${path} HTTP/1.1`,
    `Host: ${new URL(demo().base_url).host}`,
    `Authorization: ${asking.authorization}`,
    `CSRF-Token: ${await asking.token()}`,
    '',
  ].join('\r\n');
}

/** Measures how long after these bytes the server ends the connection, with one more byte per second or without. */
async function cutAfter(bytes: string, { trickles, reads }: { trickles: boolean; reads: boolean }): Promise<number> {
  const { hostname, port } = new URL(serve.baseUrl);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  if (reads) socket.resume();
  const began = performance.now();
  socket.write(bytes);
  const trickle = setInterval(() => trickles && socket.write('x'), 1000);
  // A socket that is not read does not notice its end, but when it is written to, it notices a reset.
  const probe = setInterval(() => !reads && socket.write('\r\n'), 2000);
  await new Promise((resolve) => socket.once('close', resolve));
  clearInterval(trickle);
  clearInterval(probe);
  return performance.now() - began;
}

describe.concurrent('is cut', () => {
  test('a request whose headers trickle, within 10 s', { timeout }, async () => {
    const tookMs = await cutAfter('GET / HTTP/1.1\r\nX-Slow: ', { trickles: true, reads: true });
    expect(tookMs).toBeLessThan(10_000 + toleranceMs);
  });

  test('an upload slower than the documented minimum, after half a minute', { timeout }, async () => {
    const upload = await makeHead(client, 'POST', 'cgi/upload.cgi');
    const type = 'Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 1000000\r\n\r\n';
    const part = '--b\r\nContent-Disposition: form-data; name="file"; filename="slow.bin"\r\n\r\n';
    const tookMs = await cutAfter(upload + type + part, { trickles: true, reads: true });
    expect(tookMs).toBeGreaterThan(25_000);
    expect(tookMs).toBeLessThan(35_000 + toleranceMs);
  });

  test('a download whose reader stalls, after a minute', { timeout }, async () => {
    const download = await makeHead(receiver, 'GET', `${inboxUrl}/files/large.bin`);
    const tookMs = await cutAfter(`${download}\r\n`, { trickles: false, reads: false });
    expect(tookMs).toBeGreaterThan(55_000);
    expect(tookMs).toBeLessThan(75_000 + toleranceMs);
  });
});

test('cut connections leave nothing behind', async () => {
  // Connections to the engines may have been opened and closed.
  await eventually(
    'as many open descriptors as before',
    async () => descriptors() <= descriptorsBefore + 4 || undefined,
  );
  expect(await client.readFiles()).toEqual([]);
});
