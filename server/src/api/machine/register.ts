import type { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import type { Actor } from '../../domain/actor.ts';
import { ExchangeError } from '../../domain/exchange-error.ts';
import type { App } from '../../http/shared/app.ts';
import type { Transfers } from '../../http/transfer/transfers.ts';
import { serveDocument } from '../shared/openapi.ts';
import { inputSchemas } from '../shared/route.ts';
import { requireAccount, requireCsrfToken } from './authenticate.ts';
import { openapiDocument } from './openapi.ts';
import type { CgiEngines, Route } from './route.ts';
import { routes } from './routes.ts';

/** The description of the API, which contains no account's data. */
const serveDescription = serveDocument('/openapi.json', () => openapiDocument(routes));

export function machineApi(app: App, engines: CgiEngines, transfers: Transfers): void {
  app.addHook('onRequest', async (request) => {
    const { authentication } = request.routeOptions.config;
    if (authentication !== 'account' && authentication !== 'account+csrf') return;
    if (request.headers['sec-fetch-site'] === 'cross-site') throw new ExchangeError('cross_site');
    request.actor = await requireAccount(engines, request);
    if (authentication === 'account+csrf') await requireCsrfToken(engines, request, request.actor);
  });
  for (const route of routes) {
    if (route.form) app.register(async (scope) => registerForm(scope, engines, transfers, route));
    else register(app, engines, transfers, route);
  }
  serveDescription(app);
}

/** In its own scope, where a body is a form and stays a stream. */
function registerForm(app: App, engines: CgiEngines, transfers: Transfers, route: Route): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('multipart/form-data', async (_request: unknown, body: Readable) => body);
  register(app, engines, transfers, route);
}

function register(app: App, engines: CgiEngines, transfers: Transfers, route: Route): void {
  const { method, path, authentication, transfer = false, bodyLimit, response, handle } = route;
  const isJson = response.schema !== undefined && response.mediaType === undefined;
  app.route({
    method,
    url: `/:user${path}`,
    config: { authentication, transfer },
    ...(bodyLimit === undefined ? {} : { bodyLimit }),
    schema: { ...inputSchemas(route), ...(isJson && { response: { [response.status]: response.schema } }) },
    handler: async (request, reply) => {
      const { params, query, body } = request;
      return handle({ engines, actor: requireActor(request), params, query, body, request, reply, transfers });
    },
  });
}

function requireActor(request: FastifyRequest): Actor {
  if (!request.actor) throw new Error('the route has no authenticated caller');
  return request.actor;
}
