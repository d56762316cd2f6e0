import { randomUUID } from 'node:crypto';
import { fc, test as propertyTest } from '@fast-check/vitest';
import type { Redis } from 'ioredis';
import { afterAll, describe, expect, test } from 'vitest';
import type { MessageLimit } from '../../domain/ports/limits.ts';
import { engineAddresses } from '../../testing/engine-addresses.ts';
import { closedPort, startPeer } from '../../testing/tcp.ts';
import { connectValkey } from './connect.ts';
import { valkeyMessageLimit } from './message-limit.ts';

const clients = [engineAddresses.valkey, engineAddresses.valkey].map((url) => connectValkey(url, () => undefined));
const [redis] = clients as [Redis];
const max = { perAccount: 10, perRecipient: 3 };
const [limit, elsewhere] = clients.map((client) => valkeyMessageLimit(client, max)) as [MessageLimit, MessageLimit];
afterAll(() => clients.forEach((client) => client.disconnect()));

const address = () => `${randomUUID()}@example.org`;
const addresses = (count: number) => Array.from({ length: count }, address);
const keyOf = (name: string) => `waybill:messages:${name}`;
/** The account's count, and the counts of its messages to each recipient. */
const counts = async (account: string, ...recipients: string[]) =>
  (await redis.mget(keyOf(account), ...recipients.map((recipient) => keyOf(`${account}:${recipient}`)))).map((count) =>
    count === null ? 0 : Number(count),
  );

describe('an account', () => {
  test('writes to so many receivers, and then is told how long to wait', async () => {
    const account = randomUUID();
    expect(await limit.take(account, addresses(6))).toBe(0);
    expect(await limit.take(account, addresses(4))).toBe(0);
    const wait = await limit.take(account, addresses(1));
    expect(wait).toBeGreaterThan(3590);
    expect(wait).toBeLessThanOrEqual(3600);
    expect(await limit.take(randomUUID(), addresses(1))).toBe(0);
  });

  test('is counted exactly, also at once and by several processes', async () => {
    const account = randomUUID();
    const waits = await Promise.all(
      Array.from({ length: 30 }, (_, index) => (index % 2 ? limit : elsewhere).take(account, addresses(1))),
    );
    expect(waits.filter((wait) => wait === 0)).toHaveLength(10);
    expect(await counts(account)).toEqual([10]);
  });

  test('that asks for more than can ever be is not told to come back in a moment', async () => {
    expect(await limit.take(randomUUID(), addresses(11))).toBe(3600);
  });
});

describe('an address', () => {
  test('is written to so often by one account, also at once', async () => {
    const [account, to] = [randomUUID(), address()];
    const waits = await Promise.all(
      Array.from({ length: 20 }, (_, index) => (index % 2 ? limit : elsewhere).take(account, [to])),
    );
    expect(waits.filter((wait) => wait === 0)).toHaveLength(3);
  });

  test('that one account has written to too often can be written to by others', async () => {
    const [flooding, to] = [randomUUID(), address()];
    for (let times = 0; times < 4; times += 1) await limit.take(flooding, [to]);
    expect(await limit.take(flooding, [to])).toBeGreaterThan(0);
    expect(await limit.take(randomUUID(), [to, address()])).toBe(0);
  });

  test('that appears twice is written to once', async () => {
    const [account, to] = [randomUUID(), address()];
    expect(await limit.take(account, [to, to])).toBe(0);
    expect(await counts(account, to)).toEqual([1, 1]);
  });
});

describe('all are counted, or none', () => {
  test('when one address has had too many', async () => {
    const [account, full, fresh] = [randomUUID(), address(), address()];
    for (let times = 0; times < 3; times += 1) await limit.take(account, [full]);
    expect(await limit.take(account, [fresh, full])).toBeGreaterThan(0);
    expect(await counts(account, full, fresh)).toEqual([3, 3, 0]);
    expect(await limit.take(account, [fresh])).toBe(0);
  });

  test('when the account has', async () => {
    const [account, to] = [randomUUID(), address()];
    await limit.take(account, addresses(10));
    expect(await limit.take(account, [to])).toBeGreaterThan(0);
    expect(await counts(account, to)).toEqual([10, 0]);
  });

  propertyTest.prop([fc.array(fc.uniqueArray(fc.nat(5), { minLength: 1 }), { maxLength: 12 })], { numRuns: 25 })(
    'whatever is asked for, as a plain count would have it',
    async (asked) => {
      const account = randomUUID();
      const people = addresses(6);
      const had = people.map(() => 0);
      let all = 0;
      for (const receivers of asked) {
        const fits = all + receivers.length <= 10 && receivers.every((person) => (had[person] as number) < 3);
        const wait = await limit.take(
          account,
          receivers.map((person) => people[person] as string),
        );
        expect(wait === 0).toBe(fits);
        if (!fits) continue;
        all += receivers.length;
        for (const person of receivers) had[person] = (had[person] as number) + 1;
      }
      expect(await counts(account, ...people)).toEqual([all, ...had]);
    },
  );
});

describe('an hour', () => {
  test('begins with the first message and is not drawn out by the next', async () => {
    const [account, to] = [randomUUID(), address()];
    await limit.take(account, [to]);
    for (const name of [account, `${account}:${to}`]) await redis.pexpire(keyOf(name), 100_000);
    await limit.take(account, [to]);
    for (const name of [account, `${account}:${to}`])
      expect(await redis.pttl(keyOf(name))).toBeLessThanOrEqual(100_000);
    await limit.take(account, [to]);
    expect(await limit.take(account, [to])).toBeLessThanOrEqual(100);
  });

  test('that is over begins again', async () => {
    const [account, to] = [randomUUID(), address()];
    for (let times = 0; times < 3; times += 1) await limit.take(account, [to]);
    expect(await limit.take(account, [to])).toBeGreaterThan(0);
    const pair = keyOf(`${account}:${to}`);
    for (const key of [keyOf(account), pair]) await redis.pexpire(key, 1);
    await expect.poll(() => redis.exists(pair)).toBe(0);
    expect(await limit.take(account, [to])).toBe(0);
    expect(await redis.pttl(pair)).toBeGreaterThan(3_590_000);
  });

  test('to wait for is the longest of those that are full, in whole seconds', async () => {
    const [account, soon, later] = [randomUUID(), address(), address()];
    for (let times = 0; times < 3; times += 1) await limit.take(account, [soon, later]);
    await redis.pexpire(keyOf(`${account}:${soon}`), 60_000);
    await redis.pexpire(keyOf(`${account}:${later}`), 90_000);
    const wait = await limit.take(account, [soon, later]);
    expect(wait).toBeGreaterThan(60);
    expect(wait % 1).toBe(0);
    expect(wait).toBeLessThanOrEqual(90);
    expect(await limit.take(account, [soon])).toBeLessThanOrEqual(60);
  });
});

describe('out of reach', () => {
  const askedOf = async (url: string) => {
    const client = connectValkey(url, () => undefined);
    const outcome = await valkeyMessageLimit(client, max)
      .take(randomUUID(), addresses(1))
      .catch((error: { code: string }) => error.code);
    client.disconnect();
    return outcome;
  };

  test('it says so', async () => {
    expect(await askedOf(`redis://127.0.0.1:${await closedPort()}`)).toBe('unavailable');
  });

  test('also when nothing is answered', async () => {
    await using silent = await startPeer((socket) => socket.resume());
    expect(await askedOf(`redis://127.0.0.1:${silent.port}`)).toBe('unavailable');
  });
});
