import { type FastifyInstance, fastify } from 'fastify';
import type { Logger } from 'pino';
import { securityHeaders } from '../security-headers.ts';

/**
 * The administrator's own port, which load balancers ask too. /healthz: the process runs. /readyz: it can serve, and
 * is not about to stop.
 */
export function buildConsole(options: {
  readonly log: Logger;
  readonly isStopping: () => boolean;
  readonly ping: () => Promise<void>;
}): FastifyInstance {
  const app = fastify({ loggerInstance: options.log as never, disableRequestLogging: true });
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers(securityHeaders);
  });
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    if (options.isStopping()) return reply.code(503).send({ status: 'stopping' });
    try {
      await options.ping();
      return { status: 'ok' };
    } catch (error) {
      options.log.warn({ err: error }, 'not ready');
      return reply.code(503).send({ status: 'engine out of reach' });
    }
  });
  return app as unknown as FastifyInstance;
}
