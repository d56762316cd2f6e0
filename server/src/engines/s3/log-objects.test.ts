import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { closedPort } from '../../../../tools/shared/tcp.ts';
import { logObjectsContract } from '../../../test/contracts/log-objects-contract.ts';
import { engineAddresses } from '../../../test/engine-addresses.ts';
import { createEmptyBucket } from '../../../test/object-store.ts';
import { startStoreWithoutList } from '../../../test/servers/store-without-list.ts';
import { toOutage } from '../../domain/engine-name.ts';
import { s3LogObjects } from './log-objects.ts';

const bucket = await createEmptyBucket();
const store = s3LogObjects({ ...engineAddresses.s3, bucket: bucket.name });
afterAll(async () => {
  store.close();
  await bucket[Symbol.asyncDispose]();
});

logObjectsContract('Ceph RGW', () => store);

test('reaches nothing of the bucket that is not below log/', async () => {
  const key = randomUUID();
  await bucket.put(key, Buffer.from('a file'));
  for (const name of [key, `../${key}`, `/${key}`]) {
    const read = await store.read(name, 100, new AbortController().signal).catch(() => undefined);
    expect(read).toBeUndefined();
  }
});

test('is unavailable when the store is out of reach, or the bucket is missing', async () => {
  const live = new AbortController().signal;
  for (const options of [
    { endpoint: `http://127.0.0.1:${await closedPort()}` },
    { bucket: `missing-${randomUUID()}` },
  ]) {
    const other = s3LogObjects({ ...engineAddresses.s3, bucket: bucket.name, ...options });
    const signal = AbortSignal.timeout(500);
    // The end of a lease is no reason: the log names the store, and why it failed.
    await expect(other.put('x', Buffer.from('x'), signal)).rejects.toMatchObject({
      code: 'unavailable',
      engine: 's3',
      cause: { name: 'bucket' in options ? 'NoSuchBucket' : expect.not.stringMatching(/Abort|Timeout/) },
    });
    await expect(other.read('x', 1, 'bucket' in options ? live : AbortSignal.timeout(500))).rejects.toThrow();
    other.close();
  }
});

test('takes nothing for missing that a store refuses to show, and says which right the key needs', async () => {
  const live = new AbortController().signal;
  await using refusing = await startStoreWithoutList();
  const other = s3LogObjects({ ...engineAddresses.s3, bucket: bucket.name, endpoint: refusing.endpoint });
  await other.put('there', Buffer.from('x'), live);
  expect((await other.read('there', 1, live))?.toString()).toBe('x');
  const failed = await other.read('1/checkpoint', 100, live).catch((error: unknown) => error);
  expect(failed).toMatchObject({ code: 'unavailable' });
  expect(toOutage(failed)).toEqual({ engine: 's3', reason: expect.stringContaining('s3:ListBucket') });
  other.close();
});
