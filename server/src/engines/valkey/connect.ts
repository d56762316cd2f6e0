import { Redis } from 'ioredis';
import { ExchangeError } from '../../domain/exchange-error.ts';

const commandMs = 1_000;
/** Why the connection of each client is lost. */
const lostConnections = new WeakMap<Redis, Error>();

/** Nothing durable is stored there, so no request waits on it for more than a moment. */
export function connectValkey(url: string, onError: (error: Error) => void): Redis {
  const redis = new Redis(url, {
    maxRetriesPerRequest: 1,
    commandTimeout: commandMs,
    connectTimeout: 1_000,
    // A connection that stopped responding is replaced; otherwise commands would pile up behind the unanswered ones.
    socketTimeout: 2_000,
    enableAutoPipelining: true,
    retryStrategy: (attempt) => Math.min(attempt * 100, 1_000),
  });
  redis.on('error', (error: Error) => {
    lostConnections.set(redis, error);
    onError(error);
  });
  redis.on('ready', () => lostConnections.delete(redis));
  return redis;
}

/** The reason of a command's failure: the client only says that it did not try more often. */
export function findReason(redis: Redis, error: unknown): unknown {
  const { name, message } = error as Error;
  if (name === 'MaxRetriesPerRequestError') return lostConnections.get(redis) ?? new Error('the connection was closed');
  return message === 'Command timed out' ? new Error(`no response within ${commandMs} ms`) : error;
}

export function throwUnavailable(redis: Redis): (error: unknown) => never {
  return (error) => {
    throw new ExchangeError('unavailable', undefined, { cause: findReason(redis, error), engine: 'valkey' });
  };
}
