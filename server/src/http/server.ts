import { type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ErrorCode, errorMessages, limits } from '@waybill/protocol';
import { type FastifyInstance, fastify } from 'fastify';
import type { Logger } from 'pino';
import { ExchangeError } from '../domain/exchange-error.ts';
import type { App, CgiEngines } from './cgi/endpoint.ts';
import { answerError, errorAnswer, statusOf } from './cgi/errors.ts';
import { machineApi } from './cgi/routes.ts';
import { refusalOf } from './guard.ts';
import { parseJson } from './json-body.ts';
import { securityHeaders } from './security-headers.ts';
import { cutSlowPeers } from './slow-peers.ts';

export interface ServerOptions {
  readonly log: Logger;
  /** Short and different in every process, so that an answer tells who gave it. */
  readonly processTag: string;
  readonly publicUrl: string;
  readonly allowedHosts: readonly string[];
  readonly trustedProxies: readonly string[];
}

/** How long the rest of a body may still come after its request was answered. */
const lingerMs = 5_000;

export function buildServer(engines: CgiEngines, options: ServerOptions): FastifyInstance {
  let requests = 0;
  const app = fastify({
    loggerInstance: options.log,
    disableRequestLogging: true,
    trustProxy: options.trustedProxies.length > 0 ? [...options.trustedProxies] : false,
    genReqId: () => `${options.processTag}-${++requests}`,
    bodyLimit: limits.jsonBytes,
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: 2048 },
    // The whole of a request may take days; slow peers are cut by their pace instead.
    requestTimeout: 0,
    http: {
      headersTimeout: 10_000,
      connectionsCheckingInterval: 2_000,
      maxHeaderSize: 16 * 1024,
      keepAliveTimeout: 65_000,
    },
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false } },
    clientErrorHandler: answerUnparsable,
    frameworkErrors: (error, request, reply) => {
      reply.headers(securityHeaders).header('x-request-id', request.id);
      answerError(error, request, reply);
    },
  }) as unknown as App;

  const hosts = new Set([new URL(options.publicUrl).host, ...options.allowedHosts]);
  const isOurHost = (host: string) => hosts.has(host) || host === boundAddress(app.server);

  app.decorateRequest('actor', undefined);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) =>
    parseJson(body),
  );
  app.setErrorHandler(answerError);
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(securityHeaders).header('x-request-id', request.id);
    const refusal = refusalOf(request.raw, isOurHost);
    if (refusal) throw new ExchangeError(refusal);
  });
  app.addHook('onResponse', async (request, reply) => {
    lingerBriefly(request.raw);
    // The route, not the URL: a URL may hold a token.
    const { url, config } = request.routeOptions;
    request.log.info(
      {
        method: request.method,
        route: url,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
        account: request.actor?.accountId,
        authentication: config.authentication,
      },
      'answered',
    );
  });
  requireDeclaredAuthentication(app);
  answerUnrouted(app);
  app.register(async (scope) => machineApi(scope as unknown as App, engines));

  const stopCutting = cutSlowPeers(app.server);
  app.addHook('onClose', async () => stopCutting());
  return app;
}

/** Stops the server from starting with a route that does not say who may call it. */
function requireDeclaredAuthentication(app: App): void {
  app.addHook('onRoute', (route) => {
    if (!route.config?.authentication) throw new Error(`${route.url} does not declare its authentication`);
  });
}

/** Answers 405 with Allow where the path exists for other methods, else 404. */
function answerUnrouted(app: App): void {
  const paths: { pattern: RegExp; methods: string[] }[] = [];
  app.addHook('onRoute', (route) => {
    const pattern = route.url.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+');
    paths.push({ pattern: new RegExp(`^${pattern}$`), methods: [route.method].flat() });
  });
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0] as string;
    const allowed = paths.find(({ pattern }) => pattern.test(path))?.methods;
    if (!allowed) throw new ExchangeError('not_found');
    reply.header('allow', allowed.join(', '));
    throw new ExchangeError('method_not_allowed');
  });
}

/** What the parser refuses never becomes a request; it gets the same kind of answer, written by hand. */
function answerUnparsable(error: Error & { code?: string }, socket: Duplex): void {
  const code: ErrorCode =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? 'headers_too_large'
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? 'request_timeout'
        : 'malformed_request';
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const body = JSON.stringify(errorAnswer(code, errorMessages[code]));
  const headers = Object.entries({
    ...securityHeaders,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  });
  const head = [
    `HTTP/1.1 ${statusOf[code]} ${STATUS_CODES[statusOf[code]]}`,
    ...headers.map((pair) => pair.join(': ')),
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}

/** A refused upload's bytes are let through for a moment, so that the client reads the refusal; then it is cut. */
function lingerBriefly(request: {
  complete: boolean;
  socket: { destroy(): void };
  once(event: 'close', go: () => void): void;
}): void {
  if (request.complete) return;
  const timer = setTimeout(() => request.socket.destroy(), lingerMs).unref();
  request.once('close', () => clearTimeout(timer));
}

function boundAddress(server: Server): string | undefined {
  const address = server.address();
  if (address === null || typeof address === 'string') return undefined;
  return address.family === 'IPv6' ? `[${address.address}]:${address.port}` : `${address.address}:${address.port}`;
}
