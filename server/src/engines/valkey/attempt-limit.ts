import type { Redis, Result } from 'ioredis';
import type { AttemptCount, AttemptLimit } from '../../domain/ports/limits.ts';
import { MemoryAttempts } from '../../domain/sign-in/attempts.ts';

/**
 * A hash per count: how many attempts, since when they decay, and when the next one is allowed, in milliseconds of the
 * server's own clock. Each script is atomic, so the limit holds however many processes count at once. ARGV has four
 * values for each key: the free attempts, the decay, the first delay and the longest one.
 */
const commands = {
  acquire: `
    local time = redis.call('TIME')
    local now = time[1] * 1000 + math.floor(time[2] / 1000)
    local wait = 0
    for _, key in ipairs(KEYS) do
      wait = math.max(wait, (redis.call('HGET', key, 'open') or 0) - now)
    end
    if wait > 0 then return wait end
    for i, key in ipairs(KEYS) do
      local free, decay, first, longest = unpack(ARGV, 4 * i - 3, 4 * i)
      local state = redis.call('HMGET', key, 'count', 'since')
      local count, since = tonumber(state[1] or 0), tonumber(state[2] or now)
      local decayed = math.floor((now - since) / decay)
      if decayed < count then
        count, since = count - decayed, since + decayed * decay
      else
        count, since = 0, now
      end
      count = count + 1
      local excess = count - free
      local delay = excess <= 0 and 0 or math.min(longest, first * 2 ^ (excess - 1))
      redis.call('HSET', key, 'count', count, 'since', since, 'open', now + delay)
      redis.call('PEXPIRE', key, count * decay + delay)
    end
    return 0`,
  release: `
    for i, key in ipairs(KEYS) do
      local count = tonumber(redis.call('HGET', key, 'count') or 0) - 1
      if count <= 0 then
        redis.call('DEL', key)
      else
        redis.call('HSET', key, 'count', count)
        if count <= tonumber(ARGV[4 * i - 3]) then redis.call('HSET', key, 'open', 0) end
      end
    end
    return 0`,
};

declare module 'ioredis' {
  interface RedisCommander<Context> {
    acquireAttempts(count: number, ...keysAndArgs: (string | number)[]): Result<number, Context>;
    releaseAttempts(count: number, ...keysAndArgs: (string | number)[]): Result<number, Context>;
  }
}

/** Shared by all processes; each counts for itself while the shared count is unavailable. Counts may be lost. */
export function valkeyAttemptLimit(redis: Redis): AttemptLimit {
  redis.defineCommand('acquireAttempts', { lua: commands.acquire });
  redis.defineCommand('releaseAttempts', { lua: commands.release });
  const alone = new MemoryAttempts(() => performance.now());
  return {
    async acquire(counts) {
      try {
        return Math.ceil((await redis.acquireAttempts(counts.length, ...toArguments(counts))) / 1000);
      } catch {
        return await alone.acquire(counts);
      }
    },
    async release(counts) {
      try {
        await redis.releaseAttempts(counts.length, ...toArguments(counts));
      } catch {
        await alone.release(counts);
      }
    },
  };
}

function toArguments(counts: readonly AttemptCount[]): (string | number)[] {
  return [
    ...counts.map(({ key }) => `waybill:attempts:${key}`),
    ...counts.flatMap(({ rule }) => [
      rule.free,
      rule.decaySeconds * 1000,
      rule.firstDelaySeconds * 1000,
      rule.maxDelaySeconds * 1000,
    ]),
  ];
}
