import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';

const example = (name: string) => readFileSync(new URL(`../deploy/${name}`, import.meta.url), 'utf8');
const token = 'Kx3vQm8TzR1nYc5WbL7pHs2JdF9gAe4UoNtXiVqZkEw';
const paths = [`/d/${token}`, `/u/${token}`, `/d/${token}?lang=de`, `/u/${token}/`, `/D/${token}`, `/%64/${token}`];

let folder: string;
let waybill: Server;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'waybill-proxy-'));
  waybill = createServer((_request, response) => response.end('a page')).listen(0, '127.0.0.1');
  await once(waybill, 'listening');
});
afterAll(() => {
  waybill.close();
  rmSync(folder, { recursive: true });
});
const backend = () => `127.0.0.1:${(waybill.address() as AddressInfo).port}`;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** The text after each replacement; every one must have something to replace. */
function replaced(text: string, ...pairs: [RegExp, string][]): string {
  return pairs.reduce((before, [pattern, value]) => {
    const after = before.replace(pattern, value);
    if (after === before) throw new Error(`the example has nothing like ${pattern}`);
    return after;
  }, text);
}

/** Starts the proxy, asks it for every path at both ports, and answers what it logged: so many lines of a last request. */
async function logged(
  program: string,
  args: string[],
  { ports, lastLines, log }: { ports: number[]; lastLines: number; log: () => string },
): Promise<string> {
  const proxy = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(proxy, 'exit');
  onTestFinished(async () => {
    proxy.kill('SIGTERM');
    await ended;
  });
  let said = '';
  for (const stream of [proxy.stdout, proxy.stderr]) stream.on('data', (bytes: Buffer) => (said += bytes.toString()));
  const get = (port: number, path: string) => fetch(`http://127.0.0.1:${port}${path}`, { redirect: 'manual' });
  for (const port of ports) {
    await expect
      .poll(
        () =>
          get(port, '/up').then(
            (answer) => answer.status,
            () => said,
          ),
        { timeout: 10_000 },
      )
      .toBeTypeOf('number');
    for (const path of paths) await (await get(port, path)).text();
    await (await get(port, '/last')).text();
  }
  const text = () => said + log();
  await expect.poll(() => text().split('/last').length, { timeout: 10_000 }).toBe(lastLines + 1);
  return text();
}

test('the HAProxy example logs requests, and no link', async () => {
  const [https, http] = [await freePort(), await freePort()];
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(
    file,
    replaced(
      example('haproxy.cfg'),
      [/bind :443 .*/, `bind 127.0.0.1:${https}`],
      [/bind :80\b/, `bind 127.0.0.1:${http}`],
      [/server serve1 \S+.*/, `server serve1 ${backend()} no-check`],
      [/.*server serve2 .*\n/, ''],
    ),
  );
  const haproxy = existsSync('/usr/sbin/haproxy') ? '/usr/sbin/haproxy' : 'haproxy';
  const log = await logged(haproxy, ['-db', '-f', file], { ports: [http, https], lastLines: 1, log: () => '' });
  expect(log).not.toContain(token);
  expect(log).not.toContain('lang=de');
  expect(log.match(/GET \/d\/\.\.\. HTTP/g)).toHaveLength(4);
  expect(log.match(/GET \/u\/\.\.\. HTTP/g)).toHaveLength(2);
});

test('the nginx example logs by its own format, in which there is no link', async () => {
  const text = example('nginx.conf');
  const nginx = ['/usr/sbin/nginx', '/usr/local/sbin/nginx'].find((path) => existsSync(path));
  if (nginx === undefined) {
    // Every server has both logs, and nothing in them can hold a path but the one that is made for it.
    const servers = text.split(/^server \{/m).slice(1);
    expect(servers).toHaveLength(2);
    for (const server of servers) {
      expect(server.match(/^ {4}access_log \S+ waybill;$/gm)).toHaveLength(1);
      expect(server.match(/^ {4}error_log {2}\S+ emerg;$/gm)).toHaveLength(1);
    }
    const format = /log_format waybill ([^;]*);/.exec(text)?.[1] ?? '';
    expect(format).toContain('$logged_path');
    expect(format).not.toMatch(/\$(?:request\b|request_uri|uri|args|query_string|http_referer)/);
    return;
  }
  const [https, http] = [await freePort(), await freePort()];
  const [access, errors, file] = ['access.log', 'error.log', 'nginx.conf'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const servers = replaced(
    text,
    [/listen 443 .*/, `listen 127.0.0.1:${https};`],
    [/listen 80;/, `listen 127.0.0.1:${http};`],
    [/^ *ssl_.*\n/gm, ''],
    [/server 10\.0\.0\.11:8080/, `server ${backend()}`],
    [/.*server 10\.0\.0\.12.*\n/, ''],
    [/\/var\/log\/nginx\/waybill\.log/g, access],
    [/\/var\/log\/nginx\/waybill-error\.log/g, errors],
  );
  const head = `daemon off; pid ${join(folder, 'nginx.pid')}; error_log stderr emerg;\nevents {}\n`;
  writeFileSync(file, `${head}http {\n${servers}\n}\n`);
  const read = () => (existsSync(access) ? readFileSync(access, 'utf8') : '');
  const log = await logged(nginx, ['-c', file, '-p', folder], { ports: [http, https], lastLines: 2, log: read });
  expect(log + readFileSync(errors, 'utf8')).not.toContain(token);
  expect(log.match(/GET \/d\/\.\.\. HTTP/g)).toHaveLength(8);
});
