import { expect, test } from 'vitest';
import { closedPort } from '../../../../tools/shared/tcp.ts';
import { connectValkey } from './connect.ts';
import { valkeyReceiverPace } from './receiver-pace.ts';

test('each process counts for itself without a connection', async () => {
  const client = connectValkey(`redis://127.0.0.1:${await closedPort()}`, () => undefined);
  const alone = valkeyReceiverPace(client, { perHour: 3 });
  const to = 'a@example.org';
  for (let times = 0; times < 3; times += 1) expect(await alone.acquire(to)).toBe(0);
  expect(await alone.acquire(to)).toBeGreaterThan(0);
  client.disconnect();
});
