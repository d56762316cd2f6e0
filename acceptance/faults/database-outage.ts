import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface DatabaseThatCanGo extends AsyncDisposable {
  /** The database's address, through the proxy. */
  readonly url: string;
  /** Cuts every connection and accepts none, as a restart does. */
  down(): void;
  /** The number of connection attempts while it was down. */
  refused(): number;
  up(): void;
}

/** A proxy in front of the real PostgreSQL, for one process: everyone else keeps their connections. */
export async function databaseThatCanGo(databaseUrl: string): Promise<DatabaseThatCanGo> {
  const url = new URL(databaseUrl);
  const [host, port] = [url.hostname, Number(url.port)];
  const sockets = new Set<Socket>();
  let isDown = false;
  let refused = 0;
  const server = createServer((client) => {
    if (isDown) {
      refused += 1;
      client.destroy();
      return;
    }
    const upstream = connect(port, host);
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  url.hostname = '127.0.0.1';
  url.port = String(address.port);
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: url.href,
    down() {
      isDown = true;
      cut();
    },
    refused: () => refused,
    up() {
      isDown = false;
    },
    async [Symbol.asyncDispose]() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
