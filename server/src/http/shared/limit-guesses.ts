import type { FastifyRequest } from 'fastify';
import type { Engines } from '../../domain/engines.ts';
import { ExchangeError } from '../../domain/exchange-error.ts';

/** Looks up the token in the URL. Guessing one is hopeless, but attempts are still rate-limited. */
export async function limitGuesses<Found>(
  engines: Pick<Engines, 'failureLimit'>,
  request: FastifyRequest,
  find: (token: string) => Promise<Found>,
  token = (request.params as { token: string }).token,
): Promise<Found> {
  try {
    return await find(token);
  } catch (error) {
    if (!(error instanceof ExchangeError) || error.code !== 'not_found') throw error;
    const { isExceeded, resetSeconds } = await engines.failureLimit.record(`link:${request.peer}`);
    if (!isExceeded) throw error;
    throw new ExchangeError('too_many_requests', undefined, { retryAfterSeconds: resetSeconds });
  }
}
