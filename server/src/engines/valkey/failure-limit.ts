import type { Redis } from 'ioredis';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { FailureLimit } from '../../domain/ports/index.ts';

/** Shared by all processes; each counts for itself while the shared count is out of reach. */
export function valkeyFailureLimit(redis: Redis, options: { failures: number; seconds: number }): FailureLimit {
  const shared = { keyPrefix: 'waybill:failures', points: options.failures, duration: options.seconds };
  const limiter = new RateLimiterRedis({
    ...shared,
    storeClient: redis,
    insuranceLimiter: new RateLimiterMemory(shared),
  });
  return {
    async record(address) {
      try {
        await limiter.consume(address);
        return 0;
      } catch (rejection) {
        if (rejection instanceof RateLimiterRes) return Math.max(1, Math.ceil(rejection.msBeforeNext / 1000));
        throw rejection;
      }
    },
  };
}
