import { isIP } from 'node:net';
import { type FastifyInstance, fastify, LogController } from 'fastify';
import type { Logger } from 'pino';
import { securityHeaders } from '../shared/security-headers.ts';
import type { EngineState } from './watch-engines.ts';

export type ProcessStatus = 'starting' | 'ok' | 'stopping';

/**
 * The probe port, for administrators and load balancers. /healthz: the process is running. /readyz: it has
 * started and is not about to stop. An unavailable engine does not make the process "not ready": it is unavailable for
 * every process, and if no process were ready, the pages that do not need it would be unavailable too. /metrics: for
 * Prometheus. It requires no credentials, so a page in an administrator's browser must not reach it through a name that
 * its owner points here: see `isProbesHost`.
 */
export function buildProbes(options: {
  readonly log: Logger;
  readonly status: () => ProcessStatus;
  readonly engines: () => Readonly<Record<string, EngineState>>;
  /** The names of this server, as in the setting WAYBILL_ALLOWED_HOSTS. */
  readonly allowedHosts: readonly string[];
  readonly metrics: { readonly contentType: string; metrics(): Promise<string> };
}): FastifyInstance {
  const app = fastify({
    loggerInstance: options.log as never,
    logController: new LogController({ disableRequestLogging: true }),
    // Load balancers keep asking while this process finishes its transfers.
    return503OnClosing: false,
  });
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(securityHeaders);
    if (isProbesHost(request.headers.host ?? '', options.allowedHosts)) return;
    await reply.code(421).send({
      status: 'error',
      code: 'wrong_host',
      message: 'Use the IP address of this port, or add the host name to WAYBILL_ALLOWED_HOSTS.',
    });
  });
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    const status = options.status();
    return reply.code(status === 'ok' ? 200 : 503).send({ status, engines: options.engines() });
  });
  app.get('/metrics', async (_request, reply) => {
    reply.header('content-type', options.metrics.contentType);
    return options.metrics.metrics();
  });
  return app as unknown as FastifyInstance;
}

/** Addresses and names without a dot cannot be registered by a stranger and pointed at this port. */
function isProbesHost(host: string, allowedHosts: readonly string[]): boolean {
  const name = host.toLowerCase().replace(/:\d+$/, '');
  const isAddress = isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0;
  return isAddress || !name.includes('.') || allowedHosts.includes(host.toLowerCase()) || allowedHosts.includes(name);
}
