import { connect } from 'node:net';
import { startPeer } from './tcp.ts';

/** A file that contains this takes a long time to scan. */
export const slowToScan = 'this takes a while';

export interface SlowClamd extends AsyncDisposable {
  /** For WAYBILL_CLAMD. */
  readonly address: string;
}

/** Starts a proxy to the clamd at HOST:PORT or at a socket's path that delays its verdict on files with `slowToScan`. */
export async function startSlowClamd(clamdAddress: string, delayMs: number): Promise<SlowClamd> {
  const timers = new Set<NodeJS.Timeout>();
  const peer = await startPeer((client) => {
    const clamd = connect(parseAddress(clamdAddress));
    clamd.on('error', () => undefined);
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
  return {
    address: `127.0.0.1:${peer.port}`,
    async [Symbol.asyncDispose]() {
      for (const timer of timers) clearTimeout(timer);
      await peer[Symbol.asyncDispose]();
    },
  };
}

function parseAddress(address: string): { path: string } | { host: string; port: number } {
  const [, host, port] = /^(.+):(\d+)$/.exec(address) ?? [];
  return host === undefined ? { path: address } : { host, port: Number(port) };
}
