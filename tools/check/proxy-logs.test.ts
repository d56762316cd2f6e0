import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type ShippedProxy, shippedProxy } from '../shared/shipped-proxies.ts';

const token = 'Kx3vQm8TzR1nYc5WbL7pHs2JdF9gAe4UoNtXiVqZkEw';
const paths = [
  `/d/${token}`,
  `/u/${token}`,
  `/m/${token}/stop`,
  `/d/${token}?lang=de`,
  `/u/${token}/`,
  `/D/${token}`,
  `/%64/${token}`,
];

let waybill: Server;
beforeAll(async () => {
  waybill = createServer((_request, response) => response.end('a page')).listen(0, '127.0.0.1');
  await once(waybill, 'listening');
});
afterAll(() => waybill.close());
const backend = () => `127.0.0.1:${(waybill.address() as AddressInfo).port}`;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/**
 * Starts the proxy, requests every path on its ports, and returns what it logged once the last request has this many
 * lines and each of these has been logged as often as it should be. The order of lines is not that of the requests.
 */
async function readLog(
  name: ShippedProxy,
  lastLines: number,
  lines: readonly (readonly [request: RegExp, times: number])[],
): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-proxy-'));
  const [port, plainPort] = [await freePort(), await freePort()];
  const [program, ...args] = shippedProxy(name, { folder, port, plainPort, backend: backend() });
  const proxy = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(proxy, 'exit');
  onTestFinished(async () => {
    proxy.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true });
  });
  let said = '';
  for (const stream of [proxy.stdout, proxy.stderr]) stream.on('data', (bytes: Buffer) => (said += bytes.toString()));
  const get = (at: number, path: string) => fetch(`http://127.0.0.1:${at}${path}`, { redirect: 'manual' });
  // The example for Caddy leaves the other port to Caddy itself.
  for (const asked of name === 'Caddyfile' ? [port] : [plainPort, port]) {
    await expect
      .poll(
        () =>
          get(asked, '/up').then(
            (reply) => reply.status,
            () => said,
          ),
        { timeout: 10_000 },
      )
      .toBeTypeOf('number');
    for (const path of paths) await (await get(asked, path)).text();
    await (await get(asked, '/last')).text();
  }
  const files = ['access.log', 'error.log'].map((file) => join(folder, file));
  const text = () => said + files.map((file) => (existsSync(file) ? readFileSync(file, 'utf8') : '')).join('');
  for (const [request, times] of [[/\/last/g, lastLines] as const, ...lines]) {
    await expect.poll(() => text().match(request), { timeout: 10_000 }).toHaveLength(times);
  }
  return text();
}

test('the HAProxy example logs requests, and no link', async () => {
  const log = await readLog('haproxy.cfg', 1, [
    [/GET \/d\/\.\.\. HTTP/g, 4],
    [/GET \/u\/\.\.\. HTTP/g, 2],
    [/GET \/m\/\.\.\. HTTP/g, 1],
  ]);
  expect(log).not.toContain(token);
  expect(log).not.toContain('lang=de');
});

test('the nginx example logs requests, and no link', async () => {
  const log = await readLog('nginx.conf', 2, [[/GET \/d\/\.\.\. HTTP/g, 8]]);
  expect(log).not.toContain(token);
});

test('the Caddy example logs requests, and no link', async () => {
  const log = await readLog('Caddyfile', 1, [[/"uri":"\/(?:d|u|m|D|%64)\/"/g, paths.length]]);
  expect(log).not.toContain(token);
  expect(log).not.toContain('lang=de');
});
