import { randomBytes, randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { useTestExchange } from '../../../test/exchange.ts';

const exchange = await useTestExchange();
const { responses } = exchange.engines.store;

test('keeps a request whose response is not stored, however many responses there are', async () => {
  const { accountId } = await exchange.account();
  const [withoutResponse, withResponse] = [randomBytes(32), randomBytes(32)];
  for (const [digest, response] of [
    [withoutResponse, null],
    [withResponse, randomBytes(100)],
  ] as const) {
    await responses.insert(accountId, digest, { requestDigest: digest, keyId: randomUUID(), response });
  }
  await responses.insert(accountId, randomBytes(32), {
    requestDigest: withoutResponse,
    keyId: randomUUID(),
    response: withoutResponse,
  });
  await responses.trim(accountId, { count: 1, bytes: 1_000 });
  expect(await responses.exists(accountId, withResponse)).toBe(false);
  expect(await responses.exists(accountId, withoutResponse)).toBe(true);
});

test('keeps the newest responses of an account, up to a number and a size', async () => {
  const [one, other] = [await exchange.account(), await exchange.account()];
  const digests: Buffer[] = [];
  for (const { accountId } of [one, other]) {
    for (let number = 0; number < 5; number += 1) {
      const digest = randomBytes(32);
      digests.push(digest);
      await responses.insert(accountId, digest, {
        requestDigest: digest,
        keyId: randomUUID(),
        response: randomBytes(100),
      });
    }
  }
  const kept = async () => {
    const ofOne = await Promise.all(digests.slice(0, 5).map((digest) => responses.exists(one.accountId, digest)));
    const ofOther = await Promise.all(digests.slice(5).map((digest) => responses.exists(other.accountId, digest)));
    return [ofOne.map(Number), ofOther.map(Number)];
  };
  await responses.trim(one.accountId, { count: 4, bytes: 1_000 });
  expect(await kept()).toEqual([
    [0, 1, 1, 1, 1],
    [1, 1, 1, 1, 1],
  ]);
  await responses.trim(one.accountId, { count: 4, bytes: 250 });
  expect(await kept()).toEqual([
    [0, 0, 0, 1, 1],
    [1, 1, 1, 1, 1],
  ]);
});
