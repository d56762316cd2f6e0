import type { Redis, Result } from 'ioredis';
import type { MessageLimit } from '../../domain/ports/limits.ts';
import { throwUnavailable } from './connect.ts';

const windowMs = 60 * 60 * 1000;

/**
 * KEYS[1] counts the account's messages; each of the other keys counts those to one receiver. ARGV: the window, the
 * account's limit, and the limit per receiver. Either all are counted, or none is: then the script returns the
 * milliseconds until the last full count restarts, or a whole window if nothing was counted yet and it is still too
 * much.
 */
const take = `
  local wait = 0
  for i, key in ipairs(KEYS) do
    local adds = i == 1 and #KEYS - 1 or 1
    local max = tonumber(i == 1 and ARGV[2] or ARGV[3])
    if tonumber(redis.call('GET', key) or '0') + adds > max then
      local left = redis.call('PTTL', key)
      wait = math.max(wait, left < 0 and tonumber(ARGV[1]) or left, 1)
    end
  end
  if wait > 0 then return wait end
  for i, key in ipairs(KEYS) do
    redis.call('INCRBY', key, i == 1 and #KEYS - 1 or 1)
    redis.call('PEXPIRE', key, ARGV[1], 'NX')
  end
  return 0`;

declare module 'ioredis' {
  interface RedisCommander<Context> {
    takeMessages(count: number, ...keysAndArgs: (string | number)[]): Result<number, Context>;
  }
}

/**
 * Shared by all processes. It may lose its data, and then counts from zero. A receiver's messages are counted per
 * account, so that no account can use up what others may send to the same receiver.
 */
export function valkeyMessageLimit(redis: Redis, max: { perAccount: number; perReceiver: number }): MessageLimit {
  redis.defineCommand('takeMessages', { lua: take });
  return {
    async acquire(accountId, receivers) {
      const ofAccount = `waybill:messages:${accountId}`;
      const keys = [ofAccount, ...Array.from(new Set(receivers), (receiver) => `${ofAccount}:${receiver}`)];
      const waitMs = await redis
        .takeMessages(keys.length, ...keys, windowMs, max.perAccount, max.perReceiver)
        .catch(throwUnavailable(redis));
      return Math.ceil(waitMs / 1000);
    },
  };
}
