import { expect, test } from 'vitest';
import { startFreezable } from '../../../../tools/shared/tcp.ts';
import { engineAddresses } from '../../../test/engine-addresses.ts';
import { connectValkey } from './connect.ts';

test('a server that is frozen fails each command within a moment, is connected to again, and works once it responds', async () => {
  const url = new URL(engineAddresses.valkey);
  await using way = await startFreezable(Number(url.port));
  url.port = String(way.port);
  const client = connectValkey(url.href, () => undefined);
  try {
    expect(await client.ping()).toBe('PONG');
    way.freeze();
    const begin = performance.now();
    const replaced = new Promise((resolve) => client.once('close', resolve));
    await Promise.all(Array.from({ length: 100 }, () => expect(client.ping()).rejects.toThrow()));
    expect(performance.now() - begin).toBeLessThan(1_800);
    // There are no further commands, and yet the connection that does not respond is closed.
    await replaced;
    expect(performance.now() - begin).toBeLessThan(3_500);
    way.thaw();
    await expect.poll(() => client.ping().catch(() => 'away'), { timeout: 5_000 }).toBe('PONG');
  } finally {
    client.disconnect();
  }
});
