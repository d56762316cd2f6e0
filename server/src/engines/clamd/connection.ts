import { once } from 'node:events';
import { connect, type NetConnectOpts, type Socket } from 'node:net';

export function openConnection(address: string): Socket {
  return connect(target(address));
}

/** Whether clamd responds. It responds to PING even while all its threads are scanning. */
export async function ping(address: string, withinMs: number, signal: AbortSignal): Promise<boolean> {
  const socket = openConnection(address);
  try {
    socket.write('zPING\0');
    await once(socket, 'data', { signal: AbortSignal.any([signal, AbortSignal.timeout(withinMs)]) });
    return true;
  } catch {
    return false;
  } finally {
    socket.on('error', () => undefined);
    socket.destroy();
  }
}

function target(address: string): NetConnectOpts {
  if (address.startsWith('/')) return { path: address };
  const { hostname, port } = new URL(`tcp://${address}`);
  return { host: hostname, port: Number(port) };
}
