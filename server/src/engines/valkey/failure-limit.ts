import type { Redis } from 'ioredis';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { FailureLimit } from '../../domain/ports/limits.ts';

/** Shared by all processes; each counts for itself while the shared count is unavailable. */
export function valkeyFailureLimit(redis: Redis, options: { failures: number; seconds: number }): FailureLimit {
  const shared = { keyPrefix: 'waybill:failures', points: options.failures, duration: options.seconds };
  const limiter = new RateLimiterRedis({
    ...shared,
    storeClient: redis,
    insuranceLimiter: new RateLimiterMemory(shared),
  });
  return {
    async record(address) {
      const counted = (state: RateLimiterRes, isExceeded: boolean) => ({
        name: 'failures',
        quota: options.failures,
        windowSeconds: options.seconds,
        remaining: state.remainingPoints,
        resetSeconds: Math.max(1, Math.ceil(state.msBeforeNext / 1000)),
        isExceeded,
      });
      try {
        return counted(await limiter.consume(address), false);
      } catch (rejection) {
        if (rejection instanceof RateLimiterRes) return counted(rejection, true);
        throw rejection;
      }
    },
  };
}
