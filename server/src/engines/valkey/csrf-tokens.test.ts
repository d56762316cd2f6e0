import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { limits } from '@waybill/protocol';
import type { Redis } from 'ioredis';
import { afterAll, describe, expect, test } from 'vitest';
import type { CsrfTokens } from '../../domain/ports/csrf-tokens.ts';
import type { Random } from '../../domain/ports/random.ts';
import { engineAddresses } from '../../testing/engine-addresses.ts';
import { closedPort, startPeer } from '../../testing/tcp.ts';
import { connectValkey } from './connect.ts';
import { valkeyCsrfTokens } from './csrf-tokens.ts';

const random: Random = { bytes: randomBytes, uuid: randomUUID };
const ttlSeconds = 900;
const open = () => connectValkey(engineAddresses.valkey, () => undefined);
const clients = [open(), open()] as const;
const [redis] = clients;
const [tokens, elsewhere] = clients.map((client) => valkeyCsrfTokens(client, random, { ttlSeconds })) as [
  CsrfTokens,
  CsrfTokens,
];
afterAll(() => clients.forEach((client) => client.disconnect()));

const keyOf = (accountId: string) => `waybill:csrf:${accountId}`;
const memberOf = (token: string) => createHash('sha256').update(token).digest('base64url');

/** Makes a token look as if it was last used this long ago. */
async function age(accountId: string, token: string, seconds: number): Promise<void> {
  const score = await redis.zscore(keyOf(accountId), memberOf(token));
  await redis.zadd(keyOf(accountId), 'XX', Number(score) - seconds * 1000, memberOf(token));
}

/** Scores are in milliseconds: two uses in the same millisecond have no order. */
async function nextMillisecond(client: Redis = redis): Promise<void> {
  const now = async () => {
    const [seconds, microseconds] = await client.time();
    return Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000);
  };
  const started = await now();
  await expect.poll(now, { interval: 1 }).toBeGreaterThan(started);
}

async function liveOf(accountId: string, minted: readonly string[]): Promise<boolean[]> {
  return Promise.all(minted.map((token) => tokens.accept(accountId, token)));
}

describe('a token', () => {
  test('is 256 bits, accepted by every process, any number of times', async () => {
    const accountId = randomUUID();
    const token = await tokens.mint(accountId);
    expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    for (const store of [tokens, elsewhere, tokens]) expect(await store.accept(accountId, token)).toBe(true);
  });

  test('is another account’s nothing', async () => {
    const [one, other] = [randomUUID(), randomUUID()];
    const token = await tokens.mint(one);
    await tokens.mint(other);
    expect(await tokens.accept(other, token)).toBe(false);
    expect(await tokens.accept(one, `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`)).toBe(false);
    expect(await tokens.accept(randomUUID(), token)).toBe(false);
  });

  test('is not in the store itself', async () => {
    const accountId = randomUUID();
    const token = await tokens.mint(accountId);
    expect(await redis.zrange(keyOf(accountId), '0', '-1')).toEqual([memberOf(token)]);
  });
});

describe('the lifetime', () => {
  test('ends when it has passed since the last use', async () => {
    const accountId = randomUUID();
    const token = await tokens.mint(accountId);
    await age(accountId, token, ttlSeconds - 5);
    expect(await tokens.accept(accountId, token)).toBe(true);
    await age(accountId, token, ttlSeconds);
    expect(await tokens.accept(accountId, token)).toBe(false);
    expect(await tokens.accept(accountId, token)).toBe(false);
  });

  test('restarts with each use', async () => {
    const accountId = randomUUID();
    const token = await tokens.mint(accountId);
    for (let use = 0; use < 4; use += 1) {
      await age(accountId, token, ttlSeconds * 0.6);
      expect(await tokens.accept(accountId, token)).toBe(true);
    }
  });

  test('of an account’s last token takes its whole set with it', async () => {
    const accountId = randomUUID();
    const token = await tokens.mint(accountId);
    await redis.persist(keyOf(accountId));
    await tokens.accept(accountId, token);
    const left = await redis.pttl(keyOf(accountId));
    expect(left).toBeGreaterThan((ttlSeconds - 60) * 1000);
    expect(left).toBeLessThanOrEqual(ttlSeconds * 1000);
  });

  test('is as short as configured: expired tokens are deleted', async () => {
    const short = valkeyCsrfTokens(redis, random, { ttlSeconds: 0.05 });
    const accountId = randomUUID();
    await short.mint(accountId);
    await expect.poll(() => redis.exists(keyOf(accountId))).toBe(0);
  });

  test('of a forgotten token makes room without a living one going', async () => {
    const accountId = randomUUID();
    const minted = await Promise.all(Array.from({ length: limits.csrfTokensPerAccount }, () => tokens.mint(accountId)));
    await age(accountId, minted[30] as string, ttlSeconds + 1);
    await tokens.mint(accountId);
    expect((await liveOf(accountId, minted)).filter((accepted) => !accepted)).toHaveLength(1);
  });
});

describe('sixty tokens', () => {
  test('live at once, and never more, however many processes mint', async () => {
    const accountId = randomUUID();
    const minted = await Promise.all(
      Array.from({ length: 65 }, (_, index) => (index % 2 === 0 ? tokens : elsewhere).mint(accountId)),
    );
    expect(new Set(minted).size).toBe(65);
    expect(await redis.zcard(keyOf(accountId))).toBe(60);
    expect((await liveOf(accountId, minted)).filter(Boolean)).toHaveLength(60);
  });

  test('give way from the least recently used', async () => {
    const accountId = randomUUID();
    const oldest = [];
    for (let index = 0; index < 3; index += 1) {
      oldest.push(await tokens.mint(accountId));
      await nextMillisecond();
    }
    const rest = await Promise.all(Array.from({ length: 57 }, () => tokens.mint(accountId)));
    await nextMillisecond();
    // The oldest is used again, and so is no longer the one to be removed.
    expect(await tokens.accept(accountId, oldest[0] as string)).toBe(true);
    await nextMillisecond();
    const newest = [await tokens.mint(accountId), await elsewhere.mint(accountId)];
    expect(await liveOf(accountId, oldest)).toEqual([true, false, false]);
    expect(await liveOf(accountId, [...rest, ...newest])).toEqual(Array(59).fill(true));
  });

  test('of one account do not crowd out another’s', async () => {
    const [one, other] = [randomUUID(), randomUUID()];
    const token = await tokens.mint(one);
    await Promise.all(Array.from({ length: 70 }, () => tokens.mint(other)));
    expect(await tokens.accept(one, token)).toBe(true);
  });
});

describe('a store out of reach', () => {
  const within = async (client: Redis) => {
    const store = valkeyCsrfTokens(client, random, { ttlSeconds });
    const started = performance.now();
    const calls = [store.mint('account'), store.accept('account', 'token')];
    await Promise.all(calls.map((call) => expect(call).rejects.toMatchObject({ code: 'unavailable' })));
    client.disconnect();
    return performance.now() - started;
  };

  test('that refuses the connection is unavailable within a moment', async () => {
    expect(await within(connectValkey(`redis://127.0.0.1:${await closedPort()}`, () => undefined))).toBeLessThan(2_500);
  });

  test('that takes the connection and says nothing is unavailable within a moment', async () => {
    await using silent = await startPeer((socket) => socket.resume());
    expect(await within(connectValkey(`redis://127.0.0.1:${silent.port}`, () => undefined))).toBeLessThan(2_500);
  });
});
