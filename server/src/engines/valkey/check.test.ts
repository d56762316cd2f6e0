import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { closedPort, startPeer } from '../../../../tools/shared/tcp.ts';
import { engineAddresses } from '../../../test/engine-addresses.ts';
import { startRedis } from '../../../test/servers/own-redis.ts';
import { SetupError } from '../../domain/setup-error.ts';
import { checkValkey } from './check.ts';
import { connectValkey } from './connect.ts';

async function checked(url: string): Promise<void> {
  const redis = connectValkey(url, () => undefined);
  try {
    await checkValkey(redis);
  } finally {
    redis.disconnect();
  }
}

test('a single server can be used', async () => {
  await checked(engineAddresses.valkey);
});

test('a server that is away is no mistake of the administrator', async () => {
  const port = await closedPort();
  const error = await checked(`redis://127.0.0.1:${port}`).catch((refused: unknown) => refused);
  expect(error).not.toBeInstanceOf(SetupError);
  expect(error).toMatchObject({ message: `connect ECONNREFUSED 127.0.0.1:${port}` });
});

test('a server that is silent', async () => {
  await using peer = await startPeer((socket) => socket.resume());
  await expect(checked(`redis://127.0.0.1:${peer.port}`)).rejects.toThrow('no response within 1000 ms');
});

test('a server that wants a password is set up wrongly', async () => {
  await using redis = await startRedis('--requirepass', 'secret');
  await expect(checked(redis.url)).rejects.toThrow(SetupError);
});

test('a node of a cluster is set up wrongly', async () => {
  await using redis = await startRedis('--cluster-enabled', 'yes');
  await expect(checked(redis.url)).rejects.toThrow(SetupError);
  await expect(checked(redis.url)).rejects.toThrow('Waybill needs a single server, or a primary with replicas.');
});

test('a user that may not ask whether it is one can be used', async () => {
  await using redis = await startRedis();
  const client = new Redis(redis.url);
  await client.acl('SETUSER', 'restricted', 'on', '>secret', '~*', '+@all', '-@dangerous');
  client.disconnect();
  await checked(redis.url.replace('//', '//restricted:secret@'));
});
