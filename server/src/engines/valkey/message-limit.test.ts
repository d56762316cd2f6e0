import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { closedPort, startPeer } from '../../../../tools/shared/tcp.ts';
import { connectValkey } from './connect.ts';
import { valkeyMessageLimit } from './message-limit.ts';

describe('without a connection', () => {
  const takeFrom = async (url: string) => {
    const client = connectValkey(url, () => undefined);
    const outcome = await valkeyMessageLimit(client, { perAccount: 10, perReceiver: 3 })
      .acquire(randomUUID(), ['a@example.org'])
      .catch((error: { code: string }) => error.code);
    client.disconnect();
    return outcome;
  };

  test('a server that refuses connections is unavailable', async () => {
    expect(await takeFrom(`redis://127.0.0.1:${await closedPort()}`)).toBe('unavailable');
  });

  test('a server that does not respond is unavailable', async () => {
    await using silent = await startPeer((socket) => socket.resume());
    expect(await takeFrom(`redis://127.0.0.1:${silent.port}`)).toBe('unavailable');
  });
});
