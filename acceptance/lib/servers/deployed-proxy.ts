import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { shippedProxy } from '../../../tools/shared/shipped-proxies.ts';
import { closedPort } from '../../../tools/shared/tcp.ts';
import { eventually } from '../wait.ts';

/** The address of a `serve` process, and where it reports whether it is ready. */
export interface Backend {
  address: string;
  probesPort: number;
}

/** HAProxy as configured by deploy/haproxy.cfg, but without TLS, on its own port, in front of two processes. */
export async function deployedProxy([first, second]: readonly [Backend, Backend]): Promise<
  { baseUrl: string } & AsyncDisposable
> {
  const [port, plainPort] = [await closedPort(), await closedPort()];
  const folder = mkdtempSync(join(tmpdir(), 'waybill-haproxy-'));
  const [program, ...args] = shippedProxy(
    'haproxy.cfg',
    { folder, port, plainPort, backend: first.address, second: second.address },
    [first, second].map(({ address, probesPort }) => [
      new RegExp(`(server serve\\d ${address})\\n`),
      `$1 port ${probesPort}\n`,
    ]),
  );
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });
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

/** Undefined while nothing listens there. */
function reachable(port: number): Promise<true | undefined> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(undefined));
    socket.once('connect', () => socket.destroy());
  });
}
