import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

export interface DrainOptions {
  /** How long to serve on, so that load balancers notice that this process is not ready. */
  readonly delayMs: number;
  /** How long requests in progress may take after that. */
  readonly graceMs: number;
}

/**
 * Ends a server without a failed request. Until load balancers have turned elsewhere it goes on serving, and every
 * answer ends its connection, so that no request is sent on one that is about to close. Then it stops listening, lets
 * requests in progress end, and cuts what is left when the time is up. Returns how many were cut.
 */
export async function drain(app: FastifyInstance, { delayMs, graceMs }: DrainOptions): Promise<number> {
  const lastOfConnection = (_request: unknown, response: ServerResponse) => {
    response.shouldKeepAlive = false;
  };
  app.server.prependListener('request', lastOfConnection);
  app.server.prependListener('checkContinue', lastOfConnection);
  await sleep(delayMs);
  // Requests that had begun before leave their connections open when they end.
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
