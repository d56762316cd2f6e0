import type { Server as HttpServer, ServerResponse } from 'node:http';
import { Server } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Deliveries } from '../transfer/deliveries.ts';
import { onConnection } from './tls.ts';

export interface DrainOptions {
  /** The time to continue serving, in which load balancers notice that this process is not ready. */
  readonly delayMs: number;
  /** The time that requests in progress may take after that. */
  readonly graceMs: number;
  /** Another process accepts the connections of the same socket, so this one stops listening at once. */
  readonly isReplaced?: boolean;
}

/**
 * Shuts a server down without a failed request. Until load balancers have switched to others, it continues to serve,
 * and every response closes its connection, so that no request is sent on a connection that is about to close. Then it
 * stops listening, lets requests in progress end, and cuts the rest when the time is up. Their handlers may still
 * record what they did. Returns how many were cut.
 */
export async function drain(app: FastifyInstance, { delayMs, graceMs, isReplaced }: DrainOptions): Promise<number> {
  const lastOfConnection = (_request: unknown, response: ServerResponse) => {
    response.shouldKeepAlive = false;
  };
  app.server.prependListener('request', lastOfConnection);
  app.server.prependListener('checkContinue', lastOfConnection);
  // Unlike the method of an HTTP server, this one leaves idle connections open: a request may be on its way.
  if (isReplaced) Server.prototype.close.call(app.server);
  await sleep(delayMs);
  // Requests that began earlier leave their connections open when they end.
  const closing = setInterval(() => app.server.closeIdleConnections(), 250);
  let cut = 0;
  const timer = setTimeout(() => {
    app.server.getConnections((_error, count) => {
      cut = count;
      app.server.closeAllConnections();
    });
  }, graceMs);
  await app.close();
  clearInterval(closing);
  clearTimeout(timer);
  return cut;
}

/** How long a client may go on sending after its last response. */
const lingerMs = 5_000;

/**
 * Closes connections as RFC 9112, 9.6 requires. A request may be rejected before its body has arrived; closing then
 * would make the kernel reset the connection, and the client would lose the very response that says why. So our side is
 * closed first, and what still arrives is read and discarded for a moment.
 */
export function closeGracefully(server: HttpServer): void {
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

/**
 * The time that handlers may take after the last connection was closed; shorter than the program's limit for stopping.
 */
const lastStepsMs = 20_000;

/**
 * Closing the app waits for handlers, not only for connections: when a client has its last byte, or has disconnected,
 * its handler still records a delivery or stores what has arrived, and needs the engines for it. A delivery that cannot be
 * recorded by then is logged, because nothing else knows of it.
 */
export function awaitHandlers(app: FastifyInstance, deliveries: Deliveries, limitMs = lastStepsMs): void {
  const running = new Set<Promise<unknown>>();
  app.addHook('onRoute', (route) => {
    const { handler } = route;
    route.handler = function (request, reply) {
      const result: unknown = handler.call(this, request, reply);
      if (result instanceof Promise) {
        const ended = result.catch(() => undefined).finally(() => running.delete(ended));
        running.add(ended);
      }
      return result;
    };
  });
  // Runs when the last connection is closed.
  app.addHook('onClose', async () => {
    const limit = new AbortController();
    const timeUp = sleep(limitMs, true, { signal: limit.signal }).catch(() => false);
    const isLate = await Promise.race([timeUp, Promise.all(running)]);
    limit.abort();
    if (isLate !== true) return;
    app.log.warn({ running: running.size }, 'requests were given up: they took too long to end');
    for (const delivery of deliveries.waiting) app.log.warn(delivery, 'a delivery was not recorded before the end');
  });
}
