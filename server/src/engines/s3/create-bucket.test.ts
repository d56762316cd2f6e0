import { afterEach, beforeEach, expect, test } from 'vitest';
import { closedPort } from '../../../../tools/shared/tcp.ts';
import { engineAddresses } from '../../../test/engine-addresses.ts';
import { bucketNameForTest, removeBucket } from '../../../test/object-store.ts';
import { runAdmin } from '../../../test/run-admin.ts';
import { startRefusingStore } from '../../../test/servers/refusing-store.ts';
import { toFailure } from '../../cli/failure.ts';
import { createBucket } from './create-bucket.ts';

let bucket: string;
beforeEach(() => {
  bucket = bucketNameForTest();
});
afterEach(() => removeBucket(bucket));

/** The command's questions to a database, and the responses in a new installation. */
const newDatabase = { dayKeys: { list: async () => [] }, evidenceLog: { list: async () => [] } };

function run(words: readonly string[], changes: object = {}, store: object = newDatabase): Promise<string> {
  const engines = {
    store,
    createBucket: (beforeCreation?: () => Promise<void>) =>
      createBucket({ ...engineAddresses.s3, bucket, ...changes }, beforeCreation),
  };
  return runAdmin({ engines: engines as never }, 'bucket', 'create', ...words);
}

test('the command creates the bucket, and leaves one that exists as it is', async () => {
  expect(await run([])).toBe('The bucket was created.\n');
  expect(await run([])).toBe('The bucket exists already.\n');
  expect(JSON.parse(await run(['--json']))).toEqual({ created: false });
  await removeBucket(bucket);
  expect(JSON.parse(await run(['--json']))).toEqual({ created: true });
});

test('keys that are refused and a store that is away create nothing, and are told with the setting', async () => {
  const refused = await run([], { secretAccessKey: 'wrong' }).catch(toFailure);
  const message = expect.stringMatching(/Check WAYBILL_S3_ACCESS_KEY_ID.*it needs s3:CreateBucket/) as string;
  expect(refused).toMatchObject({ exitCode: 78, message });
  const away = await run([], { endpoint: `http://127.0.0.1:${await closedPort()}` }).catch(toFailure);
  expect(away).toMatchObject({
    exitCode: 1,
    message: expect.stringMatching(/^The S3 server is out of reach \(.*ECONNREFUSED/),
    next: expect.stringContaining('WAYBILL_S3_ENDPOINT'),
  });
  expect(await run([])).toBe('The bucket was created.\n');
});

test('a name that the store does not allow, and a bucket of somebody else, are told as such', async () => {
  expect(await run([], { bucket: 'No_bucket' }).catch(toFailure)).toMatchObject({
    exitCode: 78,
    message: expect.stringContaining('"No_bucket" cannot be the name of a bucket. Correct WAYBILL_S3_BUCKET'),
  });
  await using other = await startRefusingStore(409, 'BucketAlreadyExists');
  expect(await run([], { endpoint: other.endpoint }).catch(toFailure)).toMatchObject({
    exitCode: 78,
    message: `S3: the bucket "${bucket}" exists and belongs to somebody else. Choose another name: WAYBILL_S3_BUCKET.`,
  });
});

test.each([
  ['day keys', { ...newDatabase, dayKeys: { list: async () => [{}] } }],
  ['a published log', { ...newDatabase, evidenceLog: { list: async () => [{ publishedSize: 1 }] } }],
])('a database with %s has a bucket, so another one is created only for a restore', async (_what, store) => {
  const refusal = await run([], {}, store).catch(toFailure);
  expect(refusal).toMatchObject({ exitCode: 1, message: expect.stringContaining('correct WAYBILL_S3_BUCKET') });
  expect(await run(['--for-restore'], {}, store)).toBe('The bucket was created.\n');
  expect(await run([], {}, store)).toBe('The bucket exists already.\n');
});

test('a database that is away, or has no tables yet, has no bucket', async () => {
  const away = () => Promise.reject(new Error('relation "day_keys" does not exist'));
  const store = { dayKeys: { list: away }, evidenceLog: { list: away } };
  expect(await run([], {}, store)).toBe('The bucket was created.\n');
});
