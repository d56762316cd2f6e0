import { type FastifyInstance, fastify, LogController } from 'fastify';
import type { Logger } from 'pino';
import { securityHeaders } from '../security-headers.ts';
import type { EngineState } from './watch-engines.ts';

/**
 * The administrator's own port, which load balancers ask too. /healthz: the process runs. /readyz: it can answer, and
 * is not about to stop. An engine that is away does not make it "not ready": it is away for every process, and without
 * any process the pages that do not need it would be away too.
 */
export function buildConsole(options: {
  readonly log: Logger;
  readonly isStopping: () => boolean;
  readonly engines: () => Readonly<Record<string, EngineState>>;
}): FastifyInstance {
  const app = fastify({
    loggerInstance: options.log as never,
    logController: new LogController({ disableRequestLogging: true }),
    // Load balancers keep asking while this process finishes its transfers.
    return503OnClosing: false,
  });
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers(securityHeaders);
  });
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    const stopping = options.isStopping();
    return reply.code(stopping ? 503 : 200).send({ status: stopping ? 'stopping' : 'ok', engines: options.engines() });
  });
  return app as unknown as FastifyInstance;
}
