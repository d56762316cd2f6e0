import { hash } from 'node:crypto';
import { limits } from '@waybill/protocol';
import type { Redis, Result } from 'ioredis';
import type { CsrfTokens } from '../../domain/ports/limits.ts';
import type { Random } from '../../domain/ports/random.ts';
import { throwUnavailable } from './connect.ts';

/**
 * One sorted set per account: member = the token's SHA-256, score = when it was last used, by the server's own clock.
 * Each script is atomic, so the limit holds however many processes mint at once.
 */
const commands = {
  mint: `
    local time = redis.call('TIME')
    local now = time[1] * 1000 + math.floor(time[2] / 1000)
    redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2])
    redis.call('ZADD', KEYS[1], now, ARGV[1])
    redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -1 - ARGV[3])
    redis.call('PEXPIRE', KEYS[1], ARGV[2])`,
  accept: `
    local time = redis.call('TIME')
    local now = time[1] * 1000 + math.floor(time[2] / 1000)
    local used = redis.call('ZSCORE', KEYS[1], ARGV[1])
    if not used or tonumber(used) <= now - ARGV[2] then return 0 end
    redis.call('ZADD', KEYS[1], now, ARGV[1])
    redis.call('PEXPIRE', KEYS[1], ARGV[2])
    return 1`,
};

declare module 'ioredis' {
  interface RedisCommander<Context> {
    mintCsrfToken(key: string, member: string, lifetimeMs: number, max: number): Result<null, Context>;
    acceptCsrfToken(key: string, member: string, lifetimeMs: number): Result<0 | 1, Context>;
  }
}

export function valkeyCsrfTokens(redis: Redis, random: Random, options: { lifetimeSeconds: number }): CsrfTokens {
  redis.defineCommand('mintCsrfToken', { numberOfKeys: 1, lua: commands.mint });
  redis.defineCommand('acceptCsrfToken', { numberOfKeys: 1, lua: commands.accept });
  const toKey = (accountId: string) => `waybill:csrf:${accountId}`;
  const digestToken = (token: string) => hash('sha256', token, 'base64url');
  const lifetimeMs = options.lifetimeSeconds * 1000;

  return {
    async mint(accountId) {
      const token = random.bytes(32).toString('base64url');
      await redis
        .mintCsrfToken(toKey(accountId), digestToken(token), lifetimeMs, limits.csrfTokensPerAccount)
        .catch(throwUnavailable(redis));
      return token;
    },
    async accept(accountId, token) {
      const accepted = await redis
        .acceptCsrfToken(toKey(accountId), digestToken(token), lifetimeMs)
        .catch(throwUnavailable(redis));
      return accepted === 1;
    },
  };
}
