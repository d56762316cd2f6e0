import type { ServerResponse } from 'node:http';
import { Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

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
