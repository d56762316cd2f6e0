import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A port of this machine on which nothing listens. */
export async function closedPort(): Promise<number> {
  await using peer = await startPeer(() => undefined);
  return peer.port;
}

/** A server that treats each connection as the test says; cuts them all at the end. */
export async function startPeer(onConnection: (socket: Socket) => void): Promise<{ port: number } & AsyncDisposable> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    onConnection(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** A proxy to a local server that the test can freeze: connections stay open, but no bytes pass. */
export async function startFreezable(
  targetPort: number,
): Promise<{ port: number; freeze(): void; thaw(): void } & AsyncDisposable> {
  const sockets = new Set<Socket>();
  let frozen = false;
  const forward = (from: Socket, to: Socket) => {
    sockets.add(from);
    from.on('data', (bytes) => to.write(bytes));
    from.on('error', () => undefined);
    from.on('close', () => {
      sockets.delete(from);
      to.destroy();
    });
    if (frozen) from.pause();
  };
  const peer = await startPeer((client) => {
    const server = connect(targetPort, '127.0.0.1');
    forward(client, server);
    forward(server, client);
  });
  return {
    port: peer.port,
    freeze() {
      frozen = true;
      for (const socket of sockets) socket.pause();
    },
    thaw() {
      frozen = false;
      for (const socket of sockets) socket.resume();
    },
    [Symbol.asyncDispose]: () => peer[Symbol.asyncDispose](),
  };
}
