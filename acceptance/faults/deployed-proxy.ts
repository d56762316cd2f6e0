import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closedPort } from '../lib/own-serve.ts';
import { eventually } from '../lib/wait.ts';

/** Where a `serve` process answers, and where it says whether it is ready. */
export interface Backend {
  address: string;
  consolePort: number;
}

/** HAProxy as deploy/haproxy.cfg configures it, but without TLS, on a port of its own, in front of these processes. */
export async function deployedProxy(backends: readonly Backend[]): Promise<{ baseUrl: string } & AsyncDisposable> {
  const port = await closedPort();
  const folder = mkdtempSync(join(tmpdir(), 'waybill-haproxy-'));
  const config = join(folder, 'haproxy.cfg');
  writeFileSync(config, adapted(port, backends));
  const child = spawn('/usr/sbin/haproxy', ['-db', '-f', config], { stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = once(child, 'exit');
  await eventually('HAProxy listens', () => reachable(port));
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}

function adapted(port: number, backends: readonly Backend[]): string {
  const shipped = readFileSync(new URL('../../deploy/haproxy.cfg', import.meta.url), 'utf8');
  const servers = backends.map(
    ({ address, consolePort }, index) => `    server serve${index + 1} ${address} port ${consolePort}`,
  );
  return [
    [/bind :443 ssl .*/, `bind 127.0.0.1:${port}`],
    [/\n {4}ssl-default-bind-options .*/, ''],
    [/frontend http\n(?: {4}.*\n)+/, ''],
    [/ {4}server serve1 .*\n {4}server serve2 .*/, servers.join('\n')],
  ].reduce((text, [part, replacement]) => {
    if (!(part as RegExp).test(text)) throw new Error(`deploy/haproxy.cfg has nothing like ${part}`);
    return text.replace(part as RegExp, replacement as string);
  }, shipped);
}

/** Undefined while nobody listens there. */
function reachable(port: number): Promise<true | undefined> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(undefined));
    socket.once('connect', () => socket.destroy());
  });
}
