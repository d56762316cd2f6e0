import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ErrorCode, errors, limits } from '@waybill/protocol';
import { type FastifyInstance, fastify, LogController } from 'fastify';
import type { Logger } from 'pino';
import { type LogEngines, publicLog } from '../api/log/routes.ts';
import { machineApi } from '../api/machine/register.ts';
import type { CgiEngines } from '../api/machine/route.ts';
import { replyWithProblem } from '../api/v1/problems.ts';
import { apiV1 } from '../api/v1/register.ts';
import type { V1Engines } from '../api/v1/route.ts';
import { v1Prefix } from '../api/v1/route-options.ts';
import { EventWatch } from '../domain/events/event-watch.ts';
import { ExchangeError } from '../domain/exchange-error.ts';
import { toReference } from '../domain/reference.ts';
import { doctorProbe } from '../http/server/doctor.ts';
import { awaitHandlers, closeGracefully, endGracefully } from '../http/server/drain.ts';
import { askForBodies } from '../http/server/expect-continue.ts';
import { findRefusal } from '../http/server/guard.ts';
import { noSuchPath } from '../http/server/no-such-path.ts';
import { observeRequests } from '../http/server/observe-requests.ts';
import { cutSlowPeers, type PaceLimits } from '../http/server/slow-peers.ts';
import type { Certificate } from '../http/server/tls.ts';
import type { App } from '../http/shared/app.ts';
import { parseJson } from '../http/shared/json-body.ts';
import { refuse, replyWithError, toErrorBody } from '../http/shared/json-errors.ts';
import { securityHeaders } from '../http/shared/security-headers.ts';
import { requireStorableTexts } from '../http/shared/storable-texts.ts';
import { validatorOptions } from '../http/shared/validation-message.ts';
import { limitTransferStarts, TransferLanes } from '../http/transfer/transfer-lanes.ts';
import { Transfers } from '../http/transfer/transfers.ts';
import type { Surface } from '../observe/metrics.ts';
import type { Observation } from '../observe/observe-engines.ts';
import { registerWebApp } from '../web/app/register.tsx';
import type { AppEngines } from '../web/app/shared/app-route.ts';
import { hasSessionAlone } from '../web/app/shared/cookies.ts';
import type { PageEngines } from '../web/links/page-engines.ts';
import { createReference } from '../web/reference/site.ts';
import { receiverPages } from '../web/routes.tsx';
import type { PageOptions } from '../web/shared/page.ts';
import { replyWithProblemPage, toReason, wantsPage } from '../web/shared/problem-page.tsx';

const connectionOptions = {
  headersTimeout: 10_000,
  connectionsCheckingInterval: 2_000,
  maxHeaderSize: 16 * 1024,
  // The guard rejects a request without a Host, with our own response.
  requireHostHeader: false,
  keepAliveTimeout: 65_000,
};

/**
 * Tells a browser from a program, for the one path that both have: an account's index page for programs is the first
 * screen of the app for people.
 */
const callerConstraint = {
  name: 'caller',
  storage: () => {
    const handlers = new Map<unknown, never>();
    return {
      get: (caller: unknown) => handlers.get(caller) ?? null,
      set: (caller: unknown, handler: never) => void handlers.set(caller, handler),
    };
  },
  deriveConstraint: ({ method = '', headers }: IncomingMessage) =>
    wantsPage({ method, headers }) || hasSessionAlone(headers) ? 'browser' : 'program',
  validate: () => undefined,
};

export interface ServerOptions {
  readonly log: Logger;
  /** Begins with a tag of the process, so that a response shows which process sent it. */
  readonly makeRequestId: () => string;
  readonly publicUrl: string;
  readonly allowedHosts: readonly string[];
  readonly trustedProxies: readonly string[];
  readonly paceLimits: PaceLimits;
  readonly pages: PageOptions;
  readonly observation?: Observation;
  /** The files of the certificate; without them, the server speaks plain HTTP. */
  readonly certificate?: Certificate | undefined;
}

/** The engines of all surfaces. */
export type ServerEngines = CgiEngines & PageEngines & V1Engines & AppEngines & LogEngines;

export function buildServer(engines: ServerEngines, options: ServerOptions): FastifyInstance {
  const app = fastify({
    loggerInstance: options.log,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: options.trustedProxies.length > 0 ? [...options.trustedProxies] : false,
    genReqId: options.makeRequestId,
    bodyLimit: limits.jsonBytes,
    exposeHeadRoutes: false,
    // A request that arrives on an open connection while this process stops is served, as the last of its connection.
    return503OnClosing: false,
    routerOptions: { maxParamLength: 2048, constraints: { caller: callerConstraint } },
    // A whole request may take days; slow peers are cut by their speed instead.
    requestTimeout: 0,
    ...(options.certificate
      ? { https: { ...connectionOptions, ...options.certificate, minVersion: 'TLSv1.2', handshakeTimeout: 10_000 } }
      : { http: connectionOptions }),
    ajv: { customOptions: validatorOptions },
    clientErrorHandler: handleUnparsable,
    frameworkErrors: (error, request, reply) => {
      reply.headers(securityHeaders).header('x-request-id', request.id);
      replyWithError(error, request, reply);
    },
  }) as unknown as App;

  const hosts = new Set([new URL(options.publicUrl).host, ...options.allowedHosts]);
  // Kept, because a process that was replaced no longer listens while it finishes requests.
  let bound: string | undefined;
  const isOurHost = (host: string) => {
    bound ??= boundAddress(app.server);
    return hosts.has(host) || host === bound;
  };

  const lanes = new TransferLanes();
  app.decorateRequest('actor', undefined);
  app.decorateRequest('member', undefined);
  app.decorateRequest('linkSession', undefined);
  app.decorateRequest('dropId', undefined);
  app.decorateRequest('peer', '');
  app.decorateRequest('refusal', undefined);
  app.decorateRequest('trace', undefined);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) =>
    parseJson(body),
  );
  app.setErrorHandler((error, request, reply) => {
    if (request.url.startsWith(`${v1Prefix}/`)) return replyWithProblem(options.publicUrl, error, request, reply);
    if (!wantsPage(request)) return replyWithError(error, request, reply);
    const refusal = refuse(error, request, reply);
    return replyWithProblemPage(options.pages, request, reply, toReason(refusal, reply.statusCode));
  });
  if (options.observation) observeRequests(app, options.observation);
  app.addHook('onRequest', async (request, reply) => {
    request.peer = request.ip;
    reply.headers(securityHeaders).header('x-request-id', request.id);
    // The router would ask for the body of a method that no route has, such as QUERY, before it says so.
    if (!knownMethods.has(request.method)) {
      reply.header('allow', commonMethods);
      throw new ExchangeError('method_not_allowed');
    }
    const refusal = findRefusal(request.raw, isOurHost);
    if (refusal) throw refusal;
  });
  limitTransferStarts(app, lanes);
  app.addHook('preHandler', async ({ body }) => requireStorableTexts(body));
  app.addHook('onResponse', async (request, reply) => {
    // The route, not the URL: a URL may hold a token.
    const { url, config } = request.routeOptions;
    const logFields = {
      method: request.method,
      route: url,
      peer: request.peer,
      status: reply.statusCode,
      code: request.refusal,
      ms: Math.round(reply.elapsedTime),
      account: request.actor?.accountId ?? request.member?.accountId,
      reference: request.dropId && toReference(request.dropId),
      authentication: config.authentication,
    };
    const log = () => request.log.info(logFields, 'request completed');
    if (request.trace) request.trace.within(log);
    else log();
  });
  awaitHandlers(app, lanes.deliveries);
  const slowPeers = cutSlowPeers(app.server, options.paceLimits);
  app.addHook('onClose', async () => slowPeers.stop());
  askForBodies(app, () => engines.policy.maxFileBytes, slowPeers.bodyIsAskedFor);
  requireDeclaredAuthentication(app);
  handleUnrouted(app);
  doctorProbe(app, engines);
  const transfers = new Transfers(engines);
  const eventWatch = new EventWatch(engines);
  app.addHook('preClose', async () => eventWatch.stop());
  if (options.observation) {
    const { sources } = options.observation.metrics;
    sources.lanes['transfers_beginning'] = lanes.beginning;
    sources.lanes['transfers_ending'] = lanes.ending;
    sources.transfers = () => ({ upload: engines.uploadResources.live.size, download: transfers.size });
  }
  app.register(async (scope) => {
    nameSurface(scope, 'api');
    machineApi(scope, engines, transfers);
  });
  app.register(async (scope) => {
    nameSurface(scope, 'v1');
    apiV1(scope, { ...engines, eventWatch }, transfers);
  });
  app.register(async (scope) => {
    nameSurface(scope, 'pages');
    receiverPages(scope, engines, transfers, options.pages, () => createReference(options.publicUrl));
  });
  app.register(async (scope) => {
    nameSurface(scope, 'app');
    registerWebApp(scope, { engines, transfers, eventWatch, options: options.pages });
  });

  app.register(async (scope) => {
    nameSurface(scope, 'log');
    publicLog(scope, engines);
  });

  // Node would close the connection for the former, and respond to the latter without our headers.
  app.server.on('connect', (_request, socket) => replyWithRawError('method_not_allowed', socket));
  app.server.on('checkExpectation', ({ socket }) => replyWithRawError('malformed_request', socket));
  closeGracefully(app.server);
  return app;
}

function nameSurface(scope: App, surface: Surface): void {
  scope.addHook('onRoute', (route) => {
    route.config = { ...route.config, surface };
  });
}

/** Stops the server from starting with a route that does not declare who may call it. */
function requireDeclaredAuthentication(app: App): void {
  app.addHook('onRoute', (route) => {
    if (!route.config?.authentication) throw new Error(`${route.url} does not declare its authentication`);
  });
}

/** Responds with 405 and Allow if the path exists for other methods, otherwise with 404. */
function handleUnrouted(app: App): void {
  const paths: { pattern: RegExp; methods: string[] }[] = [];
  app.addHook('onRoute', (route) => {
    const pattern = route.url.replaceAll('.', '\\.').replaceAll('*', '.+').replace(/:\w+/g, '[^/]+');
    paths.push({ pattern: new RegExp(`^${pattern}$`), methods: [route.method].flat() });
  });
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?', 1)[0] as string;
    const allowed = paths.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => methods);
    // The message for a path below an account is recorded.
    if (allowed.length === 0) throw path.includes('@') ? new ExchangeError('not_found') : noSuchPath();
    reply.header('allow', allowed.join(', '));
    const advice = `Use ${new Intl.ListFormat('en', { type: 'disjunction' }).format(allowed)}.`;
    throw new ExchangeError('method_not_allowed', undefined, { advice });
  });
}

/** Responds to input that Node's parser rejects, which never becomes a request. */
function handleUnparsable(error: Error & { code?: string }, socket: Duplex): void {
  // A handshake that failed leaves no one who could read a response.
  if (error.code === 'ECONNRESET' || /^ERR_(?:SSL|TLS)_/.test(error.code ?? '')) socket.destroy();
  else replyWithRawError(unparsable[error.code ?? ''] ?? 'malformed_request', socket);
}

const unparsable: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

const knownMethods = new Set(['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE']);
const commonMethods = 'GET, HEAD, POST';

/** The same kind of response as everywhere else, written by hand because there is no reply object. */
function replyWithRawError(code: ErrorCode, socket: Duplex): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const { status, message } = errors[code];
  const body = JSON.stringify(toErrorBody(code, message));
  const headers = Object.entries({
    ...securityHeaders,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
    ...(code === 'method_not_allowed' ? { allow: commonMethods } : {}),
  });
  const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...headers.map((pair) => pair.join(': '))];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  endGracefully(socket);
}

function boundAddress(server: Server): string | undefined {
  const address = server.address();
  if (address === null || typeof address === 'string') return undefined;
  return address.family === 'IPv6' ? `[${address.address}]:${address.port}` : `${address.address}:${address.port}`;
}
