import type { FastifyRequest } from 'fastify';
import type { Engines } from '../../domain/engines.ts';
import { ExchangeError } from '../../domain/exchange-error.ts';

/** Limits only failures, so that the right key still works while its account is under attack from the same address. */
export async function limitFailures<T>(
  { failureLimit }: Pick<Engines, 'failureLimit'>,
  { peer }: Pick<FastifyRequest, 'peer'>,
  authenticate: () => Promise<T>,
): Promise<T> {
  try {
    return await authenticate();
  } catch (error) {
    if (!(error instanceof ExchangeError) || error.code !== 'unauthorized') throw error;
    const { isExceeded, ...limit } = await failureLimit.record(peer);
    if (!isExceeded) throw new ExchangeError('unauthorized', error.message, { limits: [limit] });
    const retryAfterSeconds = limit.resetSeconds;
    throw new ExchangeError('too_many_requests', undefined, { retryAfterSeconds, limits: [limit] });
  }
}
