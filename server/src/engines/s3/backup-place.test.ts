import { randomBytes } from 'node:crypto';
import { afterAll, expect, inject, test } from 'vitest';
import { backupPlaceContract } from '../../testing/contracts/backup-place-contract.ts';
import { engineAddresses } from '../../testing/engine-addresses.ts';
import { createEmptyBucket, openTestObjectStore } from '../../testing/object-store.ts';
import { s3BackupPlace, s3BucketInventory } from './backup-place.ts';

const stack = new AsyncDisposableStack();
afterAll(() => stack.disposeAsync());

backupPlaceContract('a prefix in another bucket', async () => {
  const bucket = stack.adopt(await openTestObjectStore(), (store) => store.close());
  const { name } = stack.use(await createEmptyBucket());
  const place = s3BackupPlace({
    ...engineAddresses.s3,
    bucket: `waybill-test-${inject('runId')}`,
    place: { bucket: name, prefix: 'some where/' },
  });
  return { place: stack.adopt(place, () => place.close()), bucket };
});

test('a bucket is empty until there is an object in it', async () => {
  await using bucket = await createEmptyBucket();
  const inventory = s3BucketInventory({ ...engineAddresses.s3, bucket: bucket.name });
  expect(await inventory.isEmpty()).toBe(true);
  await bucket.put('a/00000000', randomBytes(10));
  expect(await inventory.isEmpty()).toBe(false);
  expect(await inventory.has({ key: 'a/00000000', bytes: 10 })).toBe(true);
  expect(await inventory.has({ key: 'a/00000000', bytes: 11 })).toBe(false);
  expect(await inventory.has({ key: 'b/00000000', bytes: 1 })).toBe(false);
  await bucket.put('A', randomBytes(1));
  const keys: string[] = [];
  for await (const key of inventory.keys()) keys.push(key);
  expect(keys).toEqual(['A', 'a/00000000']);
  inventory.close();
});

test('a bucket that does not exist is named as the problem', async () => {
  const inventory = s3BucketInventory({ ...engineAddresses.s3, bucket: 'waybill-test-none' });
  await expect(inventory.isEmpty()).rejects.toThrow('There is no such bucket. Create it first.');
  inventory.close();
});
