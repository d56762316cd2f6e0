import type { FastifyReply, FastifyRequest } from 'fastify';
import { ConcurrencyLimiter, type Slot } from '../../domain/flow/concurrency-limiter.ts';
import type { App } from '../shared/app.ts';
import { Deliveries } from './deliveries.ts';

const patience = { limit: 16, silenceMs: 10_000, waitMs: 30_000, maxWaiting: 10_000 };

/**
 * Limits how many transfers begin, and how many end, at the same time. When a thousand begin in the same second, each needs
 * several queries before its first byte; all at once they would keep other requests from the database and from this
 * thread, and time out themselves. With a limit, the last of them begins just as soon. Those that end have slots of their
 * own: what has been transferred does not wait for what has not begun.
 */
export class TransferLanes {
  readonly beginning = new ConcurrencyLimiter({
    ...patience,
    message: 'Too many transfers are beginning at the moment. Try again after Retry-After seconds.',
  });
  readonly ending = new ConcurrencyLimiter({
    ...patience,
    message: 'Too many transfers are ending at the moment. Try again after Retry-After seconds.',
  });
  readonly deliveries = new Deliveries(this.ending);
}

/**
 * Gives each request of a route that transfers files a slot for its beginning. No handler has to give it back: it is free
 * as soon as anything that the client paces begins, which is the first read of the body or the first byte of the response.
 */
export function limitTransferStarts(app: App, lanes: TransferLanes): void {
  app.decorateRequest('transferBegan', () => undefined);
  app.decorateRequest('transferLanes', { getter: () => lanes });
  app.addHook('onRequest', async (request, reply) => {
    if (!request.routeOptions.config.transfer) return;
    giveBackOnceBegun(request, reply, await lanes.beginning.acquire());
  });
}

function giveBackOnceBegun(request: FastifyRequest, reply: FastifyReply, { release }: Slot): void {
  const began = () => release('succeeded');
  const failed = () => release('failed');
  request.transferBegan = began;
  runBefore(request.raw, 'read', began);
  // A refusal of the server's own is no sign to those that wait that transfers begin.
  runBefore(reply.raw, 'writeHead', (status) => (Number(status) < 500 ? began() : failed()));
  if (reply.raw.destroyed) failed();
  else reply.raw.once('close', failed);
}

/**
 * Every way to read a stream, and every way to respond, goes through one method. That of a stream is not `_read`, which nobody
 * calls for a body that has arrived as a whole.
 */
function runBefore<Name extends string>(
  target: Record<Name, (...parameters: never[]) => unknown>,
  name: Name,
  action: (first: unknown) => void,
): void {
  const method = target[name];
  target[name] = function (this: unknown, ...parameters: never[]) {
    action(parameters[0]);
    return method.apply(this, parameters);
  };
}
