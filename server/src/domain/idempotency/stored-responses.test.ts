import { randomBytes, randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { useTestExchange } from '../../testing/exchange.ts';

const exchange = await useTestExchange();
const { answers } = exchange.engines.store;

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
