import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { afterAll, expect, inject, test } from 'vitest';
import { backupPlaceContract } from '../../../test/contracts/backup-place-contract.ts';
import { engineAddresses } from '../../../test/engine-addresses.ts';
import { createEmptyBucket, openTestObjectStore } from '../../../test/object-store.ts';
import { startRefusingStore } from '../../../test/servers/refusing-store.ts';
import { toFailure } from '../../cli/failure.ts';
import { s3BackupPlace, s3BucketInventory } from './backup-place.ts';
import { s3ObjectStore } from './object-store.ts';

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

test('a store that refuses is not told as out of reach, but with the bucket, the keys and their rights', async () => {
  const { signal } = new AbortController();
  const place = { bucket: 'the-backups', prefix: '' };
  const wrong = s3BackupPlace({ ...engineAddresses.s3, bucket: 'the-files', secretAccessKey: 'wrong', place });
  const object = { key: 'a/00000000', bytes: 1 };
  const calls = {
    folders: () => wrong.folders('backups'),
    write: () => wrong.write('x', toStream('x')),
    read: () => buffer(wrong.read('x')),
    remove: () => wrong.remove('x'),
    has: () => wrong.has(object),
    take: () => wrong.take(object, signal),
  };
  for (const [name, call] of Object.entries(calls)) {
    const failure = await call().then(() => undefined, toFailure);
    expect(failure?.message, name).toMatch(/^The S3 server refuses a call \(.+\)\.$/);
    const buckets = name === 'take' ? '“the-backups” or “the-files”' : '“the-backups”';
    expect(failure?.next, name).toMatch(/^Check WAYBILL_S3_ACCESS_KEY_ID, .*: it needs s3:ListBucket/);
    expect(failure?.next, name).toContain(`with the bucket ${buckets}:`);
  }
  wrong.close();
});

test.each([
  [507, 'XMinioStorageFull'],
  [403, 'QuotaExceeded'],
])('a store that is full (%i) is told as such', async (status, code) => {
  await using full = await startRefusingStore(status, code);
  const place = { bucket: 'the-backups', prefix: '' };
  const options = { ...engineAddresses.s3, endpoint: full.endpoint, bucket: 'the-files' };
  const backups = s3BackupPlace({ ...options, place });
  expect(await backups.write('x', toStream('x')).catch(toFailure)).toMatchObject({
    message: `The S3 server refuses a call (${code} (${status})).`,
    next: 'There is no room left in the bucket “the-backups”: add storage, or raise the quota.',
  });
  backups.close();
  const files = s3ObjectStore({ ...options, deadlineMs: 500 });
  expect(await files.put('x', [Buffer.from('x')], new AbortController().signal).catch(toFailure)).toMatchObject({
    next: 'There is no room left in the bucket “the-files”: add storage, or raise the quota.',
  });
  files.close();
});

async function* toStream(text: string) {
  yield Buffer.from(text);
}
