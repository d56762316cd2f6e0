import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { onConnection } from './tls.ts';

/** How long a client may go on sending after its last response. */
const lingerMs = 5_000;

/**
 * Closes connections as RFC 9112, 9.6 requires. A request may be rejected before its body has arrived; closing then
 * would make the kernel reset the connection, and the client would lose the very response that says why. So our side is
 * closed first, and what still arrives is read and discarded for a moment.
 */
export function closeGracefully(server: Server): void {
  onConnection(server, (socket) => {
    // Node calls this when a response was the last of its connection.
    socket.destroySoon = () => endGracefully(socket);
  });
}

export function endGracefully(socket: Duplex): void {
  const timer = setTimeout(() => socket.destroy(), lingerMs).unref();
  socket.once('close', () => clearTimeout(timer));
  socket.once('end', () => socket.destroy());
  socket.on('error', () => socket.destroy());
  if (!socket.writableEnded) socket.end();
  socket.resume();
}
