import type { FastifyRequest } from 'fastify';
import { ExchangeError } from '../../domain/exchange-error.ts';

/** The client has disconnected, and no one waits for the response. */
export class ClientGone extends Error {
  constructor() {
    super('the client is gone');
  }
}

/** Codes of the errors with which Node ends a body whose client has disconnected. */
const cutOffCodes: ReadonlySet<string> = new Set(['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE', 'ABORT_ERR']);

/** Whether a request failed only because its client disconnected, which is not our fault. */
export function isClientGone(error: unknown, { raw }: Pick<FastifyRequest, 'raw'>): boolean {
  if (error instanceof ClientGone) return true;
  const isIncomplete = raw.destroyed && !raw.complete;
  if (!isIncomplete) return false;
  if (error === raw.errored) return true;
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  // A body that ends too early is malformed.
  if (error instanceof ExchangeError) return error.code === 'malformed_request' || isClientGone(cause ?? {}, { raw });
  return typeof code === 'string' && cutOffCodes.has(code);
}

/** Creates the error of a request whose client has disconnected; no one receives it. */
export function clientGone(cause: unknown): ExchangeError {
  return new ExchangeError('malformed_request', 'The request ended before its body was complete. Send it again.', {
    cause,
  });
}
