import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { closedPort, startPeer } from '../../../../tools/shared/tcp.ts';
import { valkeyAttemptLimit } from './attempt-limit.ts';
import { connectValkey } from './connect.ts';

describe('without a connection', () => {
  const countsAlone = async (url: string) => {
    const client = connectValkey(url, () => undefined);
    const alone = valkeyAttemptLimit(client);
    const rule = { free: 3, firstDelaySeconds: 60, maxDelaySeconds: 60, decaySeconds: 600 };
    const counts = [{ key: randomUUID(), rule }];
    await alone.acquire(counts);
    await alone.release(counts);
    const waits = await Promise.all(Array.from({ length: 7 }, () => alone.acquire(counts)));
    client.disconnect();
    return waits.filter((wait) => wait === 0).length;
  };

  test('a process counts for itself if the server refuses connections', async () => {
    expect(await countsAlone(`redis://127.0.0.1:${await closedPort()}`)).toBe(4);
  });

  test('a process counts for itself if the server does not respond', async () => {
    await using silent = await startPeer((socket) => socket.resume());
    expect(await countsAlone(`redis://127.0.0.1:${silent.port}`)).toBe(4);
  });
});
