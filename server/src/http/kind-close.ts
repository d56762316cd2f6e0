import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';

/** How long what a client still sends is read after its last answer. */
const lingerMs = 5_000;

/**
 * Closes connections the way RFC 9112, 9.6 asks for. A request may be refused before its body has arrived; closing then
 * would make the kernel reset the connection, and the client would lose the very answer that says why. So our side is
 * closed first, and what still comes is read and thrown away for a moment.
 */
export function closeKindly(server: Server): void {
  server.on('connection', (socket) => {
    // What Node calls when an answer was the connection's last.
    socket.destroySoon = () => endKindly(socket);
  });
}

export function endKindly(socket: Duplex): void {
  const timer = setTimeout(() => socket.destroy(), lingerMs).unref();
  socket.once('close', () => clearTimeout(timer));
  socket.once('end', () => socket.destroy());
  socket.on('error', () => socket.destroy());
  if (!socket.writableEnded) socket.end();
  socket.resume();
}
