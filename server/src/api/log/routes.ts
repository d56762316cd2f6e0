import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Engines } from '../../domain/engines.ts';
import { PublicLog } from '../../domain/evidence/public-log.ts';
import { ExchangeError } from '../../domain/exchange-error.ts';
import type { App } from '../../http/shared/app.ts';

const config = { authentication: 'nobody' } as const;
const method: ('GET' | 'HEAD')[] = ['GET', 'HEAD'];
const text = 'text/plain; charset=utf-8';
/** A tile never changes. */
const tileCaching = 'public, max-age=31536000, immutable';
/** As long as a batch takes: readers see a new checkpoint within seconds, and a cache in front of us protects us. */
const briefCaching = 'public, max-age=1';

export type LogEngines = Pick<Engines, 'store' | 'logObjects' | 'policy' | 'witnesses'>;

/**
 * The evidence log for everybody (C2SP tlog-tiles): checkpoints, tiles and the policy with its keys. They name nobody, and
 * can be kept by every cache.
 */
export function publicLog(app: App, engines: LogEngines): void {
  const log = new PublicLog(engines);
  app.route({
    method,
    url: '/log/policy',
    config,
    handler: async (request, reply) => replyWithLatest(request, reply, Buffer.from(await log.readPolicy())),
  });
  app.route({
    method,
    url: '/log/:epoch/checkpoint',
    config,
    handler: async (request, reply) => replyWithLatest(request, reply, await log.readCheckpoint(parseEpoch(request))),
  });
  app.route({
    method,
    url: '/log/:epoch/tile/*',
    config,
    handler: async (request, reply) => {
      const path = `tile/${(request.params as { '*': string })['*']}`;
      const gone = new AbortController();
      reply.raw.once('close', () => gone.abort());
      const bytes = await log.readFile(parseEpoch(request), path, gone.signal);
      return cacheable(reply, tileCaching).type('application/octet-stream').send(bytes);
    },
  });
}

function parseEpoch(request: FastifyRequest): number {
  const { epoch } = request.params as { epoch: string };
  if (!/^[1-9][0-9]{0,8}$/.test(epoch)) throw new ExchangeError('not_found');
  return Number(epoch);
}

function replyWithLatest(request: FastifyRequest, reply: FastifyReply, bytes: Buffer): FastifyReply {
  const etag = `"${hash('sha256', bytes).slice(0, 32)}"`;
  cacheable(reply, briefCaching).header('etag', etag);
  if (request.headers['if-none-match'] === etag) return reply.code(304).send();
  return reply.type(text).send(bytes);
}

function cacheable(reply: FastifyReply, caching: string): FastifyReply {
  return reply.removeHeader('expires').removeHeader('pragma').header('cache-control', caching);
}
