// During an upgrade, a page may come from a process of one version, and the request for its stylesheet reach another.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type ShippedProxy, shippedProxy } from '../shared/shipped-proxies.ts';

/** A process that responds to everything with a page, but has only its own asset. */
class Version {
  readonly asked: string[] = [];
  isReady = true;
  readonly #asset: string;

  constructor(asset: string) {
    this.#asset = asset;
  }

  async start(): Promise<string> {
    const server = createServer((request, response) => this.#response(request, response)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    return `127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  #response({ url = '' }: IncomingMessage, response: ServerResponse): void {
    this.asked.push(url);
    const isMissing = url === '/missing' || (url.startsWith('/assets/') && url !== `/assets/${this.#asset}`);
    const isReady = url !== '/readyz' || this.isReady;
    response.writeHead(isMissing ? 404 : isReady ? 200 : 503).end(`a page with ${this.#asset}`);
  }
}

async function freePort(): Promise<number> {
  const server = createTcpServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Sends a request through the proxy. */
async function requestThrough(
  name: ShippedProxy,
  backend: string,
  second: string,
): Promise<(path: string) => Promise<Response>> {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-proxy-'));
  const [port, plainPort] = [await freePort(), await freePort()];
  const [program, ...args] = shippedProxy(name, { folder, port, plainPort, backend, second });
  const proxy = spawn(program, args, { stdio: 'ignore' });
  const ended = once(proxy, 'exit');
  onTestFinished(async () => {
    proxy.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true });
  });
  const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
  await expect.poll(() => get('/').catch(() => undefined), { timeout: 10_000 }).toBeDefined();
  return get;
}

test.each<ShippedProxy>(['haproxy.cfg', 'nginx.conf', 'Caddyfile'])(
  '%s finds the assets of both versions, and asks twice for nothing else',
  { timeout: 30_000 },
  async (name) => {
    const [old, current] = [new Version('old.css'), new Version('new.css')];
    const get = await requestThrough(name, await old.start(), await current.start());
    for (const path of ['/assets/old.css', '/assets/new.css']) {
      for (let time = 0; time < 6; time++) expect((await get(path)).status, path).toBe(200);
    }
    expect((await get('/assets/none.css')).status).toBe(404);
    expect((await get('/missing')).status).toBe(404);
    expect([...old.asked, ...current.asked].filter((url) => url === '/missing')).toHaveLength(1);
  },
);

// nginx does not check whether a process is ready.
test.each<ShippedProxy>(['haproxy.cfg', 'Caddyfile'])(
  '%s asks a stopping process for the assets of its last pages',
  { timeout: 30_000 },
  async (name) => {
    const [old, current] = [new Version('old.css'), new Version('new.css')];
    const get = await requestThrough(name, await old.start(), await current.start());
    old.isReady = false;
    const pages = async () => {
      const seen = new Set<string>();
      // So many that not all of them come from the new process by chance.
      for (let time = 0; time < 20; time++) seen.add(await (await get('/')).text());
      return seen;
    };
    await expect.poll(pages, { timeout: 15_000 }).toEqual(new Set(['a page with new.css']));
    expect((await get('/assets/old.css')).status).toBe(200);
  },
);
