import { type FastifyInstance, fastify, LogController } from 'fastify';
import type { Logger } from 'pino';
import { securityHeaders } from '../security-headers.ts';

/** A load balancer asks often and does not wait. */
const pingMs = 2_000;

/**
 * The administrator's own port, which load balancers ask too. /healthz: the process runs. /readyz: it can serve, and
 * is not about to stop.
 */
export function buildConsole(options: {
  readonly log: Logger;
  readonly isStopping: () => boolean;
  readonly ping: () => Promise<void>;
}): FastifyInstance {
  const app = fastify({
    loggerInstance: options.log as never,
    logController: new LogController({ disableRequestLogging: true }),
  });
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers(securityHeaders);
  });
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    if (options.isStopping()) return reply.code(503).send({ status: 'stopping' });
    try {
      await Promise.race([options.ping(), timeout(pingMs)]);
      return { status: 'ok' };
    } catch (error) {
      options.log.warn({ err: error }, 'not ready');
      return reply.code(503).send({ status: 'engine out of reach' });
    }
  });
  return app as unknown as FastifyInstance;
}

function timeout(ms: number): Promise<never> {
  return new Promise((_resolve, reject) => {
    setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms).unref();
  });
}
