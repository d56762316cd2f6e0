import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { engineAddresses } from '../../testing/engine-addresses.ts';
import { closedPort, startPeer } from '../../testing/tcp.ts';
import { connectValkey } from './connect.ts';
import { valkeyFailureLimit } from './failure-limit.ts';

const clients = [engineAddresses.valkey, engineAddresses.valkey].map((url) => connectValkey(url, () => undefined));
const options = { failures: 5, seconds: 60 };
const [limit, elsewhere] = clients.map((client) => valkeyFailureLimit(client, options)) as [
  ReturnType<typeof valkeyFailureLimit>,
  ReturnType<typeof valkeyFailureLimit>,
];
afterAll(() => clients.forEach((client) => client.disconnect()));

test('lets so many failures pass, over all processes, and then says how long to wait', async () => {
  const address = randomUUID();
  for (let failure = 0; failure < 5; failure += 1)
    expect(await (failure % 2 ? limit : elsewhere).record(address)).toMatchObject({
      remaining: 4 - failure,
      quota: 5,
      isExceeded: false,
    });
  for (const process of [limit, elsewhere]) {
    const { isExceeded, remaining, resetSeconds } = await process.record(address);
    expect([isExceeded, remaining]).toEqual([true, 0]);
    expect(resetSeconds).toBeGreaterThan(0);
    expect(resetSeconds).toBeLessThanOrEqual(60);
  }
});

test('counts exactly, also at once', async () => {
  const address = randomUUID();
  const counted = await Promise.all(
    Array.from({ length: 20 }, (_, index) => (index % 2 ? limit : elsewhere).record(address)),
  );
  expect(counted.filter(({ isExceeded }) => !isExceeded)).toHaveLength(5);
});

test('counts each address for itself', async () => {
  const [one, other] = [randomUUID(), randomUUID()];
  for (let failure = 0; failure < 8; failure += 1) await limit.record(one);
  expect((await limit.record(other)).isExceeded).toBe(false);
});

test('forgets when the time is over', async () => {
  const short = valkeyFailureLimit(clients[0] as never, { failures: 1, seconds: 1 });
  const address = randomUUID();
  expect((await short.record(address)).isExceeded).toBe(false);
  expect(await short.record(address)).toMatchObject({ isExceeded: true, resetSeconds: 1 });
  await expect.poll(() => clients[0]?.keys(`*${address}`), { timeout: 5_000 }).toEqual([]);
  expect((await short.record(address)).isExceeded).toBe(false);
});

describe('while the shared count is out of reach', () => {
  const countsAlone = async (url: string) => {
    const client = connectValkey(url, () => undefined);
    const alone = valkeyFailureLimit(client, options);
    const address = randomUUID();
    const counted = await Promise.all(Array.from({ length: 7 }, () => alone.record(address)));
    client.disconnect();
    return counted.filter(({ isExceeded }) => !isExceeded).length;
  };

  test('a process counts for itself', async () => {
    expect(await countsAlone(`redis://127.0.0.1:${await closedPort()}`)).toBe(5);
  });

  test('also when nothing is answered', async () => {
    await using silent = await startPeer((socket) => socket.resume());
    expect(await countsAlone(`redis://127.0.0.1:${silent.port}`)).toBe(5);
  });
});
