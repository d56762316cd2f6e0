import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { afterAll, expect, test } from 'vitest';
import type { RecipientPace } from '../../domain/ports/limits.ts';
import { engineAddresses } from '../../testing/engine-addresses.ts';
import { closedPort } from '../../testing/tcp.ts';
import { connectValkey } from './connect.ts';
import { valkeyRecipientPace } from './recipient-pace.ts';

const clients = [engineAddresses.valkey, engineAddresses.valkey].map((url) => connectValkey(url, () => undefined));
const [redis] = clients as [Redis];
const [pace, elsewhere] = clients.map((client) => valkeyRecipientPace(client, { perHour: 3 })) as [
  RecipientPace,
  RecipientPace,
];
afterAll(() => clients.forEach((client) => client.disconnect()));
const address = () => `${randomUUID()}@example.org`;

test('so many messages an hour go at once, by all processes together; the others are told how long to wait', async () => {
  const to = address();
  const waits = await Promise.all(Array.from({ length: 8 }, (_, index) => (index % 2 ? pace : elsewhere).take(to)));
  expect(waits.filter((wait) => wait === 0)).toHaveLength(3);
  const wait = await pace.take(to);
  expect(wait).toBeGreaterThan(3590);
  expect(wait).toBeLessThanOrEqual(3600);
  expect(await pace.take(address())).toBe(0);
});

test('an hour that is over begins again, and is not drawn out by those who asked', async () => {
  const to = address();
  for (let times = 0; times < 5; times += 1) await pace.take(to);
  const key = `waybill:pace:${to}`;
  await redis.pexpire(key, 50);
  await pace.take(to);
  await expect.poll(() => redis.exists(key)).toBe(0);
  expect(await pace.take(to)).toBe(0);
});

test('out of reach, each process counts for itself and no message is held up', async () => {
  const client = connectValkey(`redis://127.0.0.1:${await closedPort()}`, () => undefined);
  const alone = valkeyRecipientPace(client, { perHour: 3 });
  const to = address();
  for (let times = 0; times < 3; times += 1) expect(await alone.take(to)).toBe(0);
  expect(await alone.take(to)).toBeGreaterThan(0);
  client.disconnect();
});
