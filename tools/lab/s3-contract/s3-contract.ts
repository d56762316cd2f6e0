import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import type { Finding } from '../../../server/src/domain/doctor/finding.ts';
import { s3BackupPlace } from '../../../server/src/engines/s3/backup-place.ts';
import { createBucket } from '../../../server/src/engines/s3/create-bucket.ts';
import { examineS3 } from '../../../server/src/engines/s3/examine.ts';
import { s3ObjectStore } from '../../../server/src/engines/s3/object-store.ts';
import { backupPlaceContract } from '../../../server/test/contracts/backup-place-contract.ts';
import { objectStoreContract } from '../../../server/test/contracts/object-store-contract.ts';

function setting(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set. Set WAYBILL_S3_* as for waybilld.`);
  return value;
}

const options = {
  endpoint: setting('WAYBILL_S3_ENDPOINT'),
  region: process.env['WAYBILL_S3_REGION'] ?? 'us-east-1',
  bucket: setting('WAYBILL_S3_BUCKET'),
  accessKeyId: setting('WAYBILL_S3_ACCESS_KEY_ID'),
  secretAccessKey: setting('WAYBILL_S3_SECRET_ACCESS_KEY'),
};

beforeAll(async () => {
  await createBucket(options);
});

objectStoreContract(options.endpoint, () => s3ObjectStore(options));

backupPlaceContract(options.endpoint, async () => {
  const place = { bucket: `${options.bucket}-backups`, prefix: `${randomUUID()} with a space/` };
  await createBucket({ ...options, bucket: place.bucket });
  return { place: s3BackupPlace({ ...options, place }), bucket: s3ObjectStore(options) };
});

test('the doctor finds no fault', async () => {
  const findings: Finding[] = [];
  for await (const finding of examineS3(options)) findings.push(finding);
  expect(findings.length).toBeGreaterThan(5);
  expect(findings.filter(({ status }) => status === 'fault')).toEqual([]);
});

test('the bucket responds, and one that does not exist is out of reach', async () => {
  const store = s3ObjectStore(options);
  await store.ping();
  store.close();
  const missing = s3ObjectStore({ ...options, bucket: `missing-${randomUUID()}` });
  await expect(missing.ping()).rejects.toMatchObject({ code: 'unavailable' });
  missing.close();
});

test('a thousand objects are deleted in one call', async () => {
  // This test is not about a busy server that takes longer than Waybill waits.
  const store = s3ObjectStore({ ...options, deadlineMs: 60_000, silenceMs: 60_000 });
  const signal = new AbortController().signal;
  const prefix = randomUUID();
  const keys = Array.from({ length: 1000 }, (_, index) => `${prefix}/${String(index).padStart(8, '0')}`);
  const [first = '', last = ''] = [keys[0], keys[999]];
  for (const key of [first, last]) await store.put(key, [Buffer.from('x')], signal);
  await store.delete(keys);
  for (const key of [first, last]) {
    await expect(store.read(key, { offset: 0, length: 1 }, signal)).rejects.toMatchObject({ code: 'damaged' });
  }
  store.close();
});
