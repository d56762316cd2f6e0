import type { Redis } from 'ioredis';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { ReceiverPace } from '../../domain/ports/limits.ts';

const hourSeconds = 60 * 60;

/** Shared by all processes; each counts for itself while the shared count is unavailable. Counts may be lost. */
export function valkeyReceiverPace(redis: Redis, options: { perHour: number }): ReceiverPace {
  const shared = { keyPrefix: 'waybill:pace', points: options.perHour, duration: hourSeconds };
  const limiter = new RateLimiterRedis({
    ...shared,
    storeClient: redis,
    insuranceLimiter: new RateLimiterMemory(shared),
  });
  return {
    async acquire(receiver) {
      try {
        await limiter.consume(receiver);
        return 0;
      } catch (rejection) {
        if (rejection instanceof RateLimiterRes) return Math.max(1, Math.ceil(rejection.msBeforeNext / 1000));
        throw rejection;
      }
    },
  };
}
