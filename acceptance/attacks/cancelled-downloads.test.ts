// A download whose client has disconnected costs next to nothing, and one link cannot monopolise the server.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { demoEnvironment } from '../../tools/demo/environment.ts';
import { freshClient } from '../lib/accounts.ts';
import { type OpenedLink, openedLink } from '../lib/people/opened-link.ts';
import { type Sent, sendFiles } from '../lib/people/receiver.ts';
import { type OwnServe, ownServe } from '../lib/servers/own-serve.ts';
import { eventually } from '../lib/wait.ts';

const fileBytes = 16_000_000;
const fileCount = 3;

/** A proxy between the test's own `serve` process and the store, which counts everything that is read. */
const read = { bytes: 0 };
let wire: Server;
let serve: OwnServe;
let sent: Sent;
beforeAll(async () => {
  const store = new URL(demoEnvironment()['WAYBILL_S3_ENDPOINT'] ?? '');
  wire = createServer((socket) => {
    const engine = connect(Number(store.port), store.hostname);
    engine.on('data', (bytes) => (read.bytes += bytes.length));
    for (const end of [socket, engine]) end.on('error', () => [socket, engine].forEach((both) => both.destroy()));
    socket.pipe(engine).pipe(socket);
  }).listen(0, '127.0.0.1');
  await once(wire, 'listening');
  const { port } = wire.address() as AddressInfo;
  const client = await freshClient('cancelled');
  const files = Array.from({ length: fileCount }, (_, n) => ({ name: `${n}.bin`, content: randomBytes(fileBytes) }));
  [serve, sent] = await Promise.all([
    ownServe({ WAYBILL_S3_ENDPOINT: `http://127.0.0.1:${port}` }),
    sendFiles(client, files),
  ]);
});
afterAll(async () => {
  await serve.stop();
  wire.close();
});

const opened = () => openedLink(`${serve.baseUrl}/d/${sent.link.split('/').at(-1)}`);

/** Requests all files, and resets the connection without reading anything. */
async function cancelled({ page, headers }: OpenedLink, afterMs: number): Promise<void> {
  const { hostname, port, host, pathname } = new URL(`${page}all.zip`);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.write(`GET ${pathname} HTTP/1.1\r\nHost: ${host}\r\nCookie: ${headers.cookie}\r\n\r\n`);
  await pause(afterMs);
  socket.resetAndDestroy();
}

/** Waits until reading has stopped, and returns the total. */
async function readInAll(): Promise<number> {
  let before = -1;
  let still = 0;
  return eventually('the store is left alone', async () => {
    still = read.bytes === before ? still + 1 : 0;
    before = read.bytes;
    return still >= 8 ? read.bytes : undefined;
  });
}

for (const afterMs of [0, 4, 15]) {
  test(`eight downloads of a 48 MB drop, reset after ${afterMs} ms, read less than 60 MB`, async () => {
    const link = await opened();
    read.bytes = 0;
    await Promise.all(Array.from({ length: 8 }, () => cancelled(link, afterMs)));
    const bytes = await readInAll();
    expect(bytes).toBeLessThan(60_000_000);
    // A complete download is counted in full, so the counter works.
    const whole = await (await fetch(`${link.page}all.zip`, { headers: link.headers })).arrayBuffer();
    expect(whole.byteLength).toBeGreaterThan(fileCount * fileBytes);
    expect(read.bytes - bytes).toBeGreaterThan(fileCount * fileBytes);
  });
}

test('a link has up to 32 downloads at once; the next one gets a Retry-After, and is served when there is room', async () => {
  const { page, headers } = await opened();
  const stop = new AbortController();
  const running = await Promise.all(
    Array.from({ length: 32 }, () => fetch(`${page}all.zip`, { headers, signal: stop.signal })),
  );
  expect(new Set(running.map(({ status }) => status))).toEqual(new Set([200]));
  const refused = await fetch(`${page}all.zip`, { headers });
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
  expect(await refused.text()).toContain('Too many downloads at once');
  expect((await fetch(page, { headers })).status).toBe(200);
  stop.abort();
  await eventually('there is room again', async () => {
    const response = await fetch(`${page}all.zip`, { headers, method: 'HEAD' });
    return response.status === 200 ? true : undefined;
  });
});
