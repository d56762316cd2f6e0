import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** A port of this machine where nobody listens. */
export async function closedPort(): Promise<number> {
  await using peer = await startPeer(() => undefined);
  return peer.port;
}

/** A server that does to each connection what the test says; cuts them all at the end. */
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
