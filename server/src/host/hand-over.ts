import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { resolveInStartDirectory } from '../config/start-directory.ts';

interface Address {
  readonly host: string;
  readonly port: number;
}

/** The listening sockets that a process got from the one that it replaces: file descriptors by address. */
export type InheritedSockets = ReadonlyMap<string, number>;

/** The response of `serve` to a request to hand over, by its first word. */
export const handedOver = 'ready';
/** How long the new process may take to serve requests: it may have to migrate a large database. */
const startLimitMs = 50 * 60_000;

const nameAddress = ({ host, port }: Address) => `${host}:${port}`;

/** `127.0.0.1:8080=3,127.0.0.1:8081=4` */
export function parseSockets(text: string): InheritedSockets {
  return new Map(
    text
      .split(',')
      .filter((part) => part !== '')
      .map((part) => {
        const [name, descriptor] = part.split(/=(?=\d+$)/);
        if (name === undefined || descriptor === undefined) throw new Error(`${part} is not HOST:PORT=NUMBER.`);
        return [name, Number(descriptor)];
      }),
  );
}

/** Listens on an inherited socket, whose waiting connections are kept, or on a new one. Returns where. */
export async function listenOn(
  app: FastifyInstance,
  address: Address,
  { backlog, inherited }: { readonly backlog?: number; readonly inherited: InheritedSockets },
): Promise<string> {
  const fd = inherited.get(nameAddress(address));
  if (fd === undefined) return app.listen({ ...address, ...(backlog && { backlog }) });
  await app.ready();
  // Fastify would set the backlog of the shared socket to Node's default.
  app.server.listen({ fd }, backlog);
  await once(app.server, 'listening');
  const bound = app.server.address();
  return bound && typeof bound === 'object'
    ? nameAddress({ host: bound.address, port: bound.port })
    : nameAddress(address);
}

/** Sockets of addresses that are no longer configured: clients would wait in their queues for ever. */
export function closeUnused(inherited: InheritedSockets, used: readonly (Address | undefined)[]): void {
  const names = new Set(used.map((address) => address && nameAddress(address)));
  for (const [name, fd] of inherited) if (!names.has(name)) closeSync(fd);
}

export interface HandOverOptions {
  /** A directory that only this user can enter. The socket in it has the name of this process. */
  readonly directory: string;
  readonly log: Logger;
  readonly listening: readonly { readonly address: Address; readonly server: Server }[];
  /** The new process serves: this one has to end when its requests have ended. */
  readonly onReplaced: () => void;
}

/**
 * Waits for the request to hand over (request-hand-over.ts): starts a new process of the installed program, which gets the
 * listening sockets. Both accept connections until the new one is ready, so that none is refused. If it does not become
 * ready, this process goes on as before.
 */
export async function offerHandOver({ directory, log, listening, onReplaced }: HandOverOptions): Promise<void> {
  if (listening.some(({ address }) => address.host === 'localhost')) {
    log.warn('no other process can take over from this one: localhost is two addresses; configure one, like 127.0.0.1');
    return;
  }
  let isBusy = false;
  const replace = async (connection: Socket) => {
    await startReplacement(listening);
    connection.end(`${handedOver}\n`);
    control.close();
    onReplaced();
  };
  const control = createServer((connection) => {
    connection.on('error', () => connection.destroy());
    if (isBusy) {
      connection.end('busy: this process is being replaced already.\n');
      return;
    }
    isBusy = true;
    log.info('starting a new process that takes over');
    replace(connection).catch((error: Error) => {
      isBusy = false;
      log.error({ reason: error.message }, 'the new process did not take over: this one continues');
      connection.end(`failed: ${error.message} The running process continues to serve; the log says more.\n`);
    });
  });
  control.listen(join(directory, String(process.pid)));
  await once(control, 'listening');
  // It does not keep a process alive that has ended everything else.
  control.unref();
}

async function startReplacement(listening: HandOverOptions['listening']): Promise<void> {
  const sockets = listening.map(({ address }, index) => `${nameAddress(address)}=${index + 3}`);
  const child = spawn(
    process.execPath,
    [...process.execArgv, process.argv[1] as string, 'serve', '--sockets', sockets.join(',')],
    {
      stdio: ['ignore', 'inherit', 'inherit', ...listening.map(({ server }) => findDescriptor(server)), 'ipc'],
      cwd: resolveInStartDirectory('.'),
    },
  );
  const timer = setTimeout(() => child.kill('SIGKILL'), startLimitMs);
  try {
    await new Promise<void>((resolve, reject) => {
      child.once('message', () => resolve());
      child.once('error', reject);
      child.once('exit', (code, signal) => reject(new Error(`The new process ended with ${signal ?? code}.`)));
    });
  } finally {
    clearTimeout(timer);
  }
  child.disconnect();
  child.unref();
}

/** Node names the descriptor of a socket only here. */
function findDescriptor(server: Server): number {
  return (server as Server & { readonly _handle: { readonly fd: number } })._handle.fd;
}
