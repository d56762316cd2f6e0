import { randomBytes, randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { useTestExchange } from '../../testing/exchange.ts';

const exchange = await useTestExchange();
const { answers } = exchange.engines.store;

test('keeps a request whose response is not stored, however many responses there are', async () => {
  const { accountId } = await exchange.account();
  const [request, response] = [randomBytes(32), randomBytes(32)];
  for (const [digest, answer] of [
    [request, null],
    [response, randomBytes(100)],
  ] as const) {
    await answers.insert(accountId, digest, { requestDigest: digest, keyId: randomUUID(), answer });
  }
  await answers.insert(accountId, randomBytes(32), { requestDigest: request, keyId: randomUUID(), answer: request });
  await answers.trim(accountId, { count: 1, bytes: 1_000 });
  expect(await answers.exists(accountId, response)).toBe(false);
  expect(await answers.exists(accountId, request)).toBe(true);
});

test('keeps the newest responses of an account, up to a number and a size', async () => {
  const [one, other] = [await exchange.account(), await exchange.account()];
  const digests: Buffer[] = [];
  for (const { accountId } of [one, other]) {
    for (let number = 0; number < 5; number += 1) {
      const digest = randomBytes(32);
      digests.push(digest);
      await answers.insert(accountId, digest, { requestDigest: digest, keyId: randomUUID(), answer: randomBytes(100) });
    }
  }
  const kept = async () => {
    const ofOne = await Promise.all(digests.slice(0, 5).map((digest) => answers.exists(one.accountId, digest)));
    const ofOther = await Promise.all(digests.slice(5).map((digest) => answers.exists(other.accountId, digest)));
    return [ofOne.map(Number), ofOther.map(Number)];
  };
  await answers.trim(one.accountId, { count: 4, bytes: 1_000 });
  expect(await kept()).toEqual([
    [0, 1, 1, 1, 1],
    [1, 1, 1, 1, 1],
  ]);
  await answers.trim(one.accountId, { count: 4, bytes: 250 });
  expect(await kept()).toEqual([
    [0, 0, 0, 1, 1],
    [1, 1, 1, 1, 1],
  ]);
});
