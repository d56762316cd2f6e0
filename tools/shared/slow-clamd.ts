import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { demoEnvironment } from '../../tools/demo/environment.ts';

/** A file that contains this takes a long time to scan. */
export const slowToScan = 'this takes a while';

export interface SlowClamd extends AsyncDisposable {
  /** For WAYBILL_CLAMD. */
  readonly address: string;
}

/** The demo's clamd, except that its verdict on files that contain `slowToScan` is delayed by this much. */
export async function slowClamd(delayMs: number): Promise<SlowClamd> {
  const sockets = new Set<Socket>();
  const timers = new Set<NodeJS.Timeout>();
  const server = createServer((client) => {
    const clamd = connect(target(demoEnvironment()['WAYBILL_CLAMD'] ?? ''));
    for (const socket of [client, clamd]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => sockets.delete(socket));
    }
    let tail = '';
    let delay = 0;
    client.on('data', (bytes) => {
      tail = tail.slice(-slowToScan.length) + bytes.toString('latin1');
      if (tail.includes(slowToScan)) delay = delayMs;
      clamd.write(bytes);
    });
    client.on('close', () => clamd.destroy());
    const later = (work: () => void) => {
      const timer = setTimeout(() => {
        timers.delete(timer);
        work();
      }, delay);
      timers.add(timer);
    };
    clamd.on('data', (bytes) => later(() => client.write(bytes)));
    clamd.on('close', () => later(() => client.end()));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return {
    address: `127.0.0.1:${address.port}`,
    async [Symbol.asyncDispose]() {
      for (const timer of timers) clearTimeout(timer);
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function target(address: string): { path: string } | { host: string; port: number } {
  const [, host, port] = /^(.+):(\d+)$/.exec(address) ?? [];
  return host === undefined ? { path: address } : { host, port: Number(port) };
}
