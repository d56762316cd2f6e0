import { type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ErrorCode, errorMessages, limits } from '@waybill/protocol';
import { type FastifyInstance, fastify, LogController } from 'fastify';
import type { Logger } from 'pino';
import { ExchangeError } from '../domain/exchange-error.ts';
import type { App } from './app.ts';
import type { CgiEngines } from './cgi/endpoint.ts';
import { machineApi } from './cgi/routes.ts';
import { askForBodies } from './expect-continue.ts';
import { refusalOf } from './guard.ts';
import { parseJson } from './json-body.ts';
import { answerError, errorAnswer, statusOf } from './json-errors.ts';
import { closeKindly, endKindly } from './kind-close.ts';
import { type PageEngines, type PageOptions, receiverPages } from './pages/routes.tsx';
import { securityHeaders } from './security-headers.ts';
import { Transfers } from './shared/transfers.ts';
import { Turns } from './shared/turns.ts';
import { cutSlowPeers, type PaceLimits } from './slow-peers.ts';
import { validatorOptions } from './validation-message.ts';

/** A transfer that begins has a few queries to make: more at once would not begin sooner. */
const transferTurns = { atOnce: 16, waitMs: 10_000, maxWaiting: 10_000 };

export interface ServerOptions {
  readonly log: Logger;
  /** Short and different in every process, so that an answer tells who gave it. */
  readonly processTag: string;
  readonly publicUrl: string;
  readonly allowedHosts: readonly string[];
  readonly trustedProxies: readonly string[];
  readonly paceLimits: PaceLimits;
  readonly pages: PageOptions;
}

export function buildServer(engines: CgiEngines & PageEngines, options: ServerOptions): FastifyInstance {
  let requests = 0;
  const app = fastify({
    loggerInstance: options.log,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: options.trustedProxies.length > 0 ? [...options.trustedProxies] : false,
    genReqId: () => `${options.processTag}-${++requests}`,
    bodyLimit: limits.jsonBytes,
    exposeHeadRoutes: false,
    // A request that arrives on an open connection while this process stops is served, as the last of its connection.
    return503OnClosing: false,
    routerOptions: { maxParamLength: 2048 },
    // The whole of a request may take days; slow peers are cut by their pace instead.
    requestTimeout: 0,
    http: {
      headersTimeout: 10_000,
      connectionsCheckingInterval: 2_000,
      maxHeaderSize: 16 * 1024,
      // The guard refuses a request without a Host, with our answer.
      requireHostHeader: false,
      keepAliveTimeout: 65_000,
    },
    ajv: { customOptions: validatorOptions },
    clientErrorHandler: answerUnparsable,
    frameworkErrors: (error, request, reply) => {
      reply.headers(securityHeaders).header('x-request-id', request.id);
      answerError(error, request, reply);
    },
  }) as unknown as App;

  const hosts = new Set([new URL(options.publicUrl).host, ...options.allowedHosts]);
  const isOurHost = (host: string) => hosts.has(host) || host === boundAddress(app.server);

  const turns = new Turns(transferTurns);
  app.decorateRequest('actor', undefined);
  app.decorateRequest('endTurn', () => undefined);
  app.decorateRequest('takeTurn', (waitMs?: number) => turns.take(waitMs));
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) =>
    parseJson(body),
  );
  app.setErrorHandler(answerError);
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(securityHeaders).header('x-request-id', request.id);
    const refusal = refusalOf(request.raw, isOurHost);
    if (refusal) throw new ExchangeError(refusal);
    if (!request.routeOptions.config.transfer) return;
    const endTurn = await turns.take();
    request.endTurn = endTurn;
    if (reply.raw.destroyed) endTurn();
    else reply.raw.once('close', endTurn);
  });
  app.addHook('onResponse', async (request, reply) => {
    // The route, not the URL: a URL may hold a token.
    const { url, config } = request.routeOptions;
    request.log.info(
      {
        method: request.method,
        route: url,
        peer: request.ip,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
        account: request.actor?.accountId,
        authentication: config.authentication,
      },
      'answered',
    );
  });
  askForBodies(app, () => engines.policy.maxFileBytes);
  requireDeclaredAuthentication(app);
  answerUnrouted(app);
  const transfers = new Transfers(engines);
  app.register(async (scope) => machineApi(scope as unknown as App, engines, transfers));
  app.register(async (scope) => receiverPages(scope as unknown as App, engines, transfers, options.pages));

  // Node would hang up on the one and answer the other without our headers.
  app.server.on('connect', (_request, socket) => answerRaw('method_not_allowed', socket));
  app.server.on('checkExpectation', ({ socket }) => answerRaw('malformed_request', socket));
  closeKindly(app.server);
  const stopCutting = cutSlowPeers(app.server, options.paceLimits);
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
    const allowed = paths.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => methods);
    if (allowed.length === 0) throw new ExchangeError('not_found');
    reply.header('allow', allowed.join(', '));
    throw new ExchangeError('method_not_allowed');
  });
}

/** What the parser refuses never becomes a request. */
function answerUnparsable(error: Error & { code?: string }, socket: Duplex): void {
  if (error.code === 'ECONNRESET') socket.destroy();
  else answerRaw(unparsable[error.code ?? ''] ?? 'malformed_request', socket);
}

const unparsable: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/** The same kind of answer as everywhere, written by hand where there is no reply to write it with. */
function answerRaw(code: ErrorCode, socket: Duplex): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const body = JSON.stringify(errorAnswer(code, errorMessages[code]));
  const headers = Object.entries({
    ...securityHeaders,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
    ...(code === 'method_not_allowed' ? { allow: 'GET, HEAD, POST' } : {}),
  });
  const head = [
    `HTTP/1.1 ${statusOf[code]} ${STATUS_CODES[statusOf[code]]}`,
    ...headers.map((pair) => pair.join(': ')),
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  endKindly(socket);
}

function boundAddress(server: Server): string | undefined {
  const address = server.address();
  if (address === null || typeof address === 'string') return undefined;
  return address.family === 'IPv6' ? `[${address.address}]:${address.port}` : `${address.address}:${address.port}`;
}
