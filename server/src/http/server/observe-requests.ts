import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Observation } from '../../observe/observe-engines.ts';
import type { App } from '../shared/app.ts';

/**
 * Measures and traces every request. A request is named by its route, never by its URL: a URL may hold a token, and
 * anyone can make up new ones.
 */
export function observeRequests(app: App, { metrics, tracing }: Observation): void {
  metrics.sources.traffic = readTraffic(app);

  app.addHook('onRequest', (request, reply, done) => {
    const { surface = 'none', url: route = 'none' } = { ...request.routeOptions.config, url: request.routeOptions.url };
    // A request without a route may have any method.
    const method = route === 'none' ? 'other' : request.method;
    const begin = performance.now();
    const span = tracing.begin(
      `${method} ${route}`,
      'server',
      { 'http.request.method': method, 'http.route': route, 'waybill.request_id': request.id },
      readHeader(request, 'traceparent'),
    );
    request.trace = span;
    metrics.requestsInProgress.inc({ surface });
    const end = () => {
      const status = readStatus(reply);
      metrics.requestsInProgress.dec({ surface });
      metrics.requests.inc({ surface, method, route, status });
      metrics.requestSeconds.observe({ surface, method, route }, (performance.now() - begin) / 1000);
      if (request.refusal) metrics.refusals.inc({ surface, code: request.refusal });
      span.end(
        { 'http.response.status_code': reply.raw.statusCode },
        status === '5xx' || status === 'cut' ? (request.refusal ?? status) : undefined,
      );
    };
    if (reply.raw.destroyed) end();
    else reply.raw.once('close', end);
    span.within(done);
  });
  // A body is parsed in events of its socket, which know nothing of the request's trace.
  app.addHook('preValidation', (request, _reply, done) => {
    if (request.trace) request.trace.within(done);
    else done();
  });
}

function readStatus({ raw }: FastifyReply): string {
  return raw.writableFinished ? `${Math.floor(raw.statusCode / 100)}xx` : 'cut';
}

function readHeader({ headers }: FastifyRequest, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
}

/** Counts bytes at the sockets, so that a transfer counts while it runs and not only when it has ended. */
function readTraffic(app: App): NonNullable<Observation['metrics']['sources']['traffic']> {
  const open = new Set<Socket>();
  let [receivedBefore, sentBefore] = [0, 0];
  app.server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => {
      open.delete(socket);
      receivedBefore += socket.bytesRead;
      sentBefore += socket.bytesWritten;
    });
  });
  return () => {
    let [receivedBytes, sentBytes] = [receivedBefore, sentBefore];
    for (const { bytesRead, bytesWritten } of open) {
      receivedBytes += bytesRead;
      sentBytes += bytesWritten;
    }
    return { connections: open.size, receivedBytes, sentBytes };
  };
}
