import { hash, randomBytes, randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { afterAll, describe, expect, test } from 'vitest';
import { closedPort, startPeer } from '../../../../tools/shared/tcp.ts';
import { engineAddresses } from '../../../test/engine-addresses.ts';
import { connectValkey } from './connect.ts';
import { valkeyCsrfTokens } from './csrf-tokens.ts';

const random = { bytes: randomBytes, uuid: randomUUID };
const lifetimeSeconds = 900;
const redis = connectValkey(engineAddresses.valkey, () => undefined);
const tokens = valkeyCsrfTokens(redis, random, { lifetimeSeconds });
afterAll(() => redis.disconnect());

const toKey = (accountId: string) => `waybill:csrf:${accountId}`;

test('only the digest of a token is stored', async () => {
  const accountId = randomUUID();
  const token = await tokens.mint(accountId);
  expect(await redis.zrange(toKey(accountId), '0', '-1')).toEqual([hash('sha256', token, 'base64url')]);
});

test('the tokens of an account expire with the last of them', async () => {
  const accountId = randomUUID();
  const token = await tokens.mint(accountId);
  await redis.persist(toKey(accountId));
  await tokens.accept(accountId, token);
  const left = await redis.pttl(toKey(accountId));
  expect(left).toBeGreaterThan((lifetimeSeconds - 60) * 1000);
  expect(left).toBeLessThanOrEqual(lifetimeSeconds * 1000);
});

test('expired tokens are deleted', async () => {
  const short = valkeyCsrfTokens(redis, random, { lifetimeSeconds: 0.05 });
  const accountId = randomUUID();
  await short.mint(accountId);
  await expect.poll(() => redis.exists(toKey(accountId))).toBe(0);
});

describe('without a connection', () => {
  const within = async (client: Redis) => {
    const store = valkeyCsrfTokens(client, random, { lifetimeSeconds });
    const started = performance.now();
    const calls = [store.mint('account'), store.accept('account', 'token')];
    await Promise.all(calls.map((call) => expect(call).rejects.toMatchObject({ code: 'unavailable' })));
    client.disconnect();
    return performance.now() - started;
  };

  test('a server that refuses connections is unavailable within a moment', async () => {
    expect(await within(connectValkey(`redis://127.0.0.1:${await closedPort()}`, () => undefined))).toBeLessThan(2_500);
  });

  test('a server that does not respond is unavailable within a moment', async () => {
    await using silent = await startPeer((socket) => socket.resume());
    expect(await within(connectValkey(`redis://127.0.0.1:${silent.port}`, () => undefined))).toBeLessThan(2_500);
  });
});
