import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { engineAddresses } from '../../testing/engine-addresses.ts';
import { openTestObjectStore } from '../../testing/object-store.ts';
import { objectStoreContract } from '../../testing/object-store-contract.ts';
import { closedPort, startPeer } from '../../testing/tcp.ts';
import { s3ObjectStore } from './object-store.ts';

const live = new AbortController().signal;

objectStoreContract('Ceph RGW', openTestObjectStore);

test('deletes a thousand objects in one request', async () => {
  const store = await openTestObjectStore();
  const prefix = randomUUID();
  const keys = Array.from({ length: 1000 }, (_, index) => `${prefix}/${String(index).padStart(8, '0')}`);
  for (const key of [keys[0], keys[999]]) await store.put(key as string, Buffer.from('x'), live);
  await store.delete(keys);
  expect(await store.keys(prefix)).toEqual([]);
});

describe('a store out of reach', () => {
  test('is unavailable, whatever is asked of it', async () => {
    const store = s3ObjectStore({
      ...engineAddresses.s3,
      endpoint: `http://127.0.0.1:${await closedPort()}`,
      bucket: 'b',
    });
    const calls = [
      store.put('key', Buffer.from('x'), live),
      store.read('key', { offset: 0, length: 8_000_000 }, live),
      store.delete(['key']),
      store.ping(),
    ];
    await Promise.all(calls.map((call) => expect(call).rejects.toMatchObject({ code: 'unavailable' })));
  });

  test('is unavailable when the bucket is missing', async () => {
    const store = s3ObjectStore({ ...engineAddresses.s3, bucket: `missing-${randomUUID()}` });
    await expect(store.put('key', Buffer.from('x'), live)).rejects.toMatchObject({ code: 'unavailable' });
    await expect(store.ping()).rejects.toMatchObject({ code: 'unavailable' });
  });
});

test('an answer cut short is an error, never a short object', async () => {
  await using peer = await startPeer((socket) => {
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n');
      socket.end(Buffer.alloc(400));
    });
  });
  const store = s3ObjectStore({ ...engineAddresses.s3, endpoint: `http://127.0.0.1:${peer.port}`, bucket: 'b' });
  const stream = await store.read('key', { offset: 0, length: 8_000_000 }, live);
  await expect(buffer(stream)).rejects.toThrow();
});

test('tries again when the server answers 503', async () => {
  let asked = 0;
  const server = createServer((_request, response) => {
    asked += 1;
    response.writeHead(asked < 3 ? 503 : 200).end();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as { port: number };
  const store = s3ObjectStore({ ...engineAddresses.s3, endpoint: `http://127.0.0.1:${port}`, bucket: 'b' });
  try {
    await store.put('key', Buffer.from('x'), live);
    expect(asked).toBe(3);
  } finally {
    store.close();
    server.close();
  }
});
