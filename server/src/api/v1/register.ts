import { createHmac } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { authenticateBearer } from '../../domain/accounts/authenticate.ts';
import { dailyLimits } from '../../domain/accounts/count-dispatch.ts';
import type { KeyActor } from '../../domain/actor.ts';
import { ExchangeError } from '../../domain/exchange-error.ts';
import { type RepeatableResponse, respondOnce } from '../../domain/idempotency/respond-once.ts';
import type { App } from '../../http/shared/app.ts';
import { readUnquotedIdempotencyKey } from '../../http/shared/idempotency-key.ts';
import { listAllFaults } from '../../http/shared/list-all-faults.ts';
import type { Transfers } from '../../http/transfer/transfers.ts';
import { existenceInConditions, parseIfMatch } from '../shared/if-match.ts';
import { limitFailures } from '../shared/limit-failures.ts';
import { serveDocument } from '../shared/openapi.ts';
import { linkRoutes } from './link/link.ts';
import { registerLinkRoutes } from './link/register-link-routes.ts';
import { isLimitedByDay, isRepeatable, v1Document } from './openapi/openapi.ts';
import { replyWithProblem } from './problems.ts';
import { rateLimitHeaders } from './rate-limit.ts';
import type { CallEngines, KeyRoute, V1Engines } from './route.ts';
import { acceptStreams, toInputOptions, v1Prefix } from './route-options.ts';
import { keyRoutes, routes } from './routes.ts';

const serveDescription = serveDocument(`${v1Prefix}/openapi.json`, () => v1Document(routes));

export function apiV1(app: App, engines: CallEngines, transfers: Transfers): void {
  listAllFaults(app);
  app.setErrorHandler((error, request, reply) => replyWithProblem(engines.policy.publicUrl, error, request, reply));
  for (const route of keyRoutes) {
    if (route.stream) registerStream(app, engines, transfers, route);
    else register(app, engines, transfers, route);
  }
  registerLinkRoutes(app, engines, transfers, linkRoutes);
  serveDescription(app);
}

function register(
  app: App,
  engines: CallEngines,
  transfers: Transfers,
  route: Extract<KeyRoute, { stream?: undefined }>,
): void {
  const { response } = route;
  app.route({
    ...toRouteOptions(engines, route),
    handler: (request, reply) =>
      transfers.runSupervised(reply, async (revoked) => {
        const caller = getCaller(request);
        const gone = new AbortController();
        reply.raw.once('close', () => gone.abort());
        const { params, query, body } = request;
        const call = {
          engines,
          caller,
          params,
          query,
          body,
          ifVersion: parseIfMatch(request),
          ifExists: existenceInConditions(request),
          gone: gone.signal,
          revoked,
          authenticateAgain: () => requireKey(engines, request, route),
        };
        // A repetition gets the first response, even if the request cannot be prepared a second time.
        const [preparation] = await Promise.allSettled([route.prepare?.(call)]);
        const perform = async (within: Pick<V1Engines, 'store'>): Promise<RepeatableResponse> => {
          if (preparation.status === 'rejected') throw preparation.reason;
          const result = await route.handle({
            ...call,
            engines: { ...engines, ...within },
            prepared: preparation.value,
          });
          const { status = response.status, headers = {}, body: content } = result;
          return { status, headers, body: content === undefined ? '' : JSON.stringify(content) };
        };
        const idempotencyKey = isRepeatable(route) ? readUnquotedIdempotencyKey(request) : undefined;
        const repeatable =
          idempotencyKey === undefined
            ? undefined
            : ({ api: 'v1', idempotencyKey, digest: computeDigest(engines, request) } as const);
        return await send(reply, await respondOnce(engines, caller, repeatable, perform));
      }),
  });
}

/** Uses a scope of its own: only here may a body be anything but JSON. */
function registerStream(
  root: App,
  engines: CallEngines,
  transfers: Transfers,
  route: Extract<KeyRoute, { handle?: undefined }>,
): void {
  const { mediaTypes = [], anyTypeBytes, serve } = route.stream;
  const transfer = route.response.bytes !== undefined;
  root.register(async (app) => {
    acceptStreams(app, route.stream);
    app.route({
      ...toRouteOptions(engines, route),
      ...(anyTypeBytes === undefined ? {} : { bodyLimit: anyTypeBytes }),
      config: { authentication: 'key', anyBody: anyTypeBytes !== undefined, mediaTypes, transfer },
      handler: (request, reply) =>
        transfers.runSupervised(reply, (revoked) =>
          serve({ engines, caller: getCaller(request), request, reply, transfers, revoked }),
        ),
    });
  });
}

/** The options of every operation of a key. */
function toRouteOptions(engines: V1Engines, route: KeyRoute) {
  return {
    ...toInputOptions(route, engines),
    config: { authentication: 'key' },
    // Runs before the body is read.
    async onRequest(request: FastifyRequest) {
      request.actor = await requireKey(engines, request, route);
    },
    ...(isLimitedByDay(route) ? { onSend: sendDailyLimits(engines) } : {}),
  } as const;
}

/** Sends the limits after the request was counted, whether it succeeded or not. */
function sendDailyLimits(engines: V1Engines) {
  return async ({ actor }: FastifyRequest, reply: FastifyReply) => {
    // The response is sent even if the rest of the limits cannot be read.
    const limits = actor ? await dailyLimits(engines, actor.accountId).catch(() => []) : [];
    reply.headers(rateLimitHeaders(limits));
  };
}

function getCaller(request: FastifyRequest): KeyActor {
  return request.actor as KeyActor;
}

function send(reply: FastifyReply, { status, headers, body }: RepeatableResponse): FastifyReply {
  reply.code(status).headers(headers);
  return body === '' ? reply.send() : reply.type('application/json; charset=utf-8').send(body);
}

/** Keyed: a body may contain a passphrase, which whoever has only the database must not be able to try. */
function computeDigest({ pepper }: Pick<V1Engines, 'pepper'>, { method, url, body }: FastifyRequest): Buffer {
  return createHmac('sha256', pepper)
    .update(JSON.stringify([method, url, body ?? null]))
    .digest();
}

const notBasic =
  'HTTP Basic authentication is for the machine API. Send the API key alone, as `Authorization: Bearer <key>`.';

/**
 * Requires a live API key as a Bearer token (RFC 6750). No cookie authenticates a request, because another site could
 * make a browser send it.
 */
async function requireKey(
  engines: V1Engines,
  request: FastifyRequest,
  { scope, ownScope }: Pick<KeyRoute, 'scope' | 'ownScope'>,
): Promise<KeyActor> {
  const { authorization = '' } = request.headers;
  const [, key] = /^bearer ([\x21-\x7e]{1,200})$/i.exec(authorization) ?? [];
  const caller = await limitFailures(engines, request, async () => {
    if (key === undefined)
      throw new ExchangeError('unauthorized', /^basic\b/i.test(authorization) ? notBasic : undefined);
    return await authenticateBearer(engines, key, request.peer);
  });
  const { scopes } = caller.key;
  const isAllowed = [scope, ownScope].some((one) => one && scopes?.includes(one));
  if (scope !== null && scopes !== null && !isAllowed) {
    throw new ExchangeError('scope_missing', `The key needs the scope ${scope}. Use a key that has it.`);
  }
  return caller;
}
