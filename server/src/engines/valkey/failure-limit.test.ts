import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { closedPort, startPeer } from '../../../../tools/shared/tcp.ts';
import { connectValkey } from './connect.ts';
import { valkeyFailureLimit } from './failure-limit.ts';

const options = { failures: 5, seconds: 60 };

describe('without a connection', () => {
  const countsAlone = async (url: string) => {
    const client = connectValkey(url, () => undefined);
    const alone = valkeyFailureLimit(client, options);
    const address = randomUUID();
    const counted = await Promise.all(Array.from({ length: 7 }, () => alone.record(address)));
    client.disconnect();
    return counted.filter(({ isExceeded }) => !isExceeded).length;
  };

  test('a process counts for itself if the server refuses connections', async () => {
    expect(await countsAlone(`redis://127.0.0.1:${await closedPort()}`)).toBe(5);
  });

  test('a process counts for itself if the server does not respond', async () => {
    await using silent = await startPeer((socket) => socket.resume());
    expect(await countsAlone(`redis://127.0.0.1:${silent.port}`)).toBe(5);
  });
});
