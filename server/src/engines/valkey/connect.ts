import { Redis } from 'ioredis';

/** Nothing durable is stored there, so no request waits on it for more than a moment. */
export function connectValkey(url: string, onError: (error: Error) => void): Redis {
  const redis = new Redis(url, {
    maxRetriesPerRequest: 1,
    commandTimeout: 1_000,
    connectTimeout: 1_000,
    // A connection that stopped responding is replaced; otherwise commands would pile up behind the unanswered ones.
    socketTimeout: 2_000,
    enableAutoPipelining: true,
    retryStrategy: (attempt) => Math.min(attempt * 100, 1_000),
  });
  redis.on('error', onError);
  return redis;
}
