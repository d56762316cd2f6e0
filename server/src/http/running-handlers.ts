import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Deliveries } from './shared/deliveries.ts';

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
