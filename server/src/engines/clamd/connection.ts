import { once } from 'node:events';
import { connect, type NetConnectOpts, type Socket } from 'node:net';
import { reason } from '../../domain/doctor/finding.ts';

const checkMs = 3_000;

export function openConnection(address: string): Socket {
  return connect(target(address));
}

/** Why clamd does not respond; undefined if it does. It responds to PING even while all its threads are scanning. */
export async function findFailure(address: string, withinMs: number, signal: AbortSignal): Promise<string | undefined> {
  return exchangePing(address, AbortSignal.any([signal, AbortSignal.timeout(withinMs)])).then(
    () => undefined,
    (error: Error) => (error.name === 'AbortError' ? `no response to PING within ${withinMs} ms` : reason(error)),
  );
}

/** Throws unless clamd responds. */
export function checkClamd(address: string): Promise<void> {
  return exchangePing(address, AbortSignal.timeout(checkMs));
}

async function exchangePing(address: string, signal: AbortSignal): Promise<void> {
  const socket = openConnection(address);
  try {
    socket.write('zPING\0');
    await Promise.race([
      once(socket, 'data', { signal }),
      once(socket, 'close', { signal }).then(() => Promise.reject(new Error('the connection was closed'))),
    ]);
  } finally {
    socket.on('error', () => undefined);
    socket.destroy();
  }
}

/** Such as `ClamAV 1.4.3/27823/Sat Nov 14 08:33:00 2026`; without official signatures only the first part. */
export async function readVersion(address: string, withinMs = checkMs): Promise<string> {
  const socket = openConnection(address);
  try {
    socket.write('zVERSION\0');
    const [bytes] = (await once(socket, 'data', { signal: AbortSignal.timeout(withinMs) })) as [Buffer];
    return bytes.toString('latin1').replace(/\0.*$/, '');
  } finally {
    socket.on('error', () => undefined);
    socket.destroy();
  }
}

/** When the signatures were made that a version names. */
export function toBuildTime(version: string): Date | undefined {
  const time = new Date(`${version.split('/')[2]} UTC`);
  return Number.isNaN(time.getTime()) ? undefined : time;
}

function target(address: string): NetConnectOpts {
  if (address.startsWith('/')) return { path: address };
  const { hostname, port } = new URL(`tcp://${address}`);
  return { host: hostname, port: Number(port) };
}
