import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import {
  CreateBucketCommand,
  PutBucketLifecycleConfigurationCommand,
  PutBucketPolicyCommand,
  PutBucketVersioningCommand,
  PutObjectLockConfigurationCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { closedPort, startPeer } from '../../../../tools/shared/tcp.ts';
import { engineAddresses } from '../../testing/engine-addresses.ts';
import { collectFindings, expectTrouble } from '../../testing/findings.ts';
import { bucketNameForTest, openTestClient, removeBucket } from '../../testing/object-store.ts';
import { startStoreWithoutList } from '../../testing/servers/store-without-list.ts';
import { examineS3 } from './examine.ts';

let client: S3Client;
let bucket: string;
beforeAll(() => {
  client = openTestClient();
});
afterAll(() => client.destroy());
beforeEach(() => {
  bucket = bucketNameForTest();
});
afterEach(() => removeBucket(bucket));

const examine = (options: Partial<Parameters<typeof examineS3>[0]> = {}) =>
  examineS3({ ...engineAddresses.s3, bucket, ...options });

test('nothing is wrong with a bucket that is set up well', async () => {
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  const findings = await collectFindings(examine());
  expect(findings.map(({ status, check }) => `${status} ${check}`)).toEqual(
    ['clock', 'bucket', 'write', 'read', 'list', 'delete', 'lifecycle', 'versioning', 'lock'].map(
      (check) => `ok s3.${check}`,
    ),
  );
});

test('stopped', async () => {
  await expectTrouble(examine({ endpoint: `http://127.0.0.1:${await closedPort()}` }), 'fault s3.reachable');
});

test('silent', async () => {
  await using peer = await startPeer(() => undefined);
  await expectTrouble(examine({ endpoint: `http://127.0.0.1:${peer.port}` }), 'fault s3.reachable');
});

test('no bucket', async () => {
  await expectTrouble(examine(), 'fault s3.bucket');
});

test.each([
  ['an unknown key', { accessKeyId: 'nobody' }],
  ['a wrong secret', { secretAccessKey: 'wrong' }],
])('%s', async (_what, credentials) => {
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  await expectTrouble(examine(credentials), 'fault s3.credentials');
});

test('a clock that is wrong', async () => {
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  const now = () => Date.now() + 3_600_000;
  await expectTrouble(examine({ now }), 'fault s3.clock', 'fault s3.credentials');
});

test('a key that may not list, so that the store refuses to say what is missing', async () => {
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  await using store = await startStoreWithoutList();
  const findings = await collectFindings(examine({ endpoint: store.endpoint }));
  expect(findings.filter(({ status }) => status === 'fault')).toMatchObject([
    { check: 's3.list', remedy: `Allow the key s3:ListBucket on “${bucket}”.` },
  ]);
});

const policyAgainst =
  (action: string, objects = '/*') =>
  (Bucket: string) =>
    new PutBucketPolicyCommand({
      Bucket,
      Policy: JSON.stringify({
        Version: '2012-10-17',
        Statement: [{ Effect: 'Deny', Principal: '*', Action: action, Resource: `arn:aws:s3:::${Bucket}${objects}` }],
      }),
    });

test('a full store', async () => {
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  const conf = fileURLToPath(new URL('../../../../.engines/ceph/ceph.conf', import.meta.url));
  for (const change of [['set', '--max-objects=0'], ['enable']]) {
    const quota = ['quota', ...change, '--quota-scope=bucket', `--bucket=${bucket}`];
    execFileSync('radosgw-admin', ['--conf', conf, ...quota], { stdio: 'pipe' });
  }
  await expectTrouble(examine(), 'fault s3.space');
});

test('a bucket that locks every object', async () => {
  await client.send(new CreateBucketCommand({ Bucket: bucket, ObjectLockEnabledForBucket: true }));
  const Rule = { DefaultRetention: { Mode: 'GOVERNANCE', Days: 1 } } as const;
  const ObjectLockConfiguration = { ObjectLockEnabled: 'Enabled', Rule } as const;
  await client.send(new PutObjectLockConfigurationCommand({ Bucket: bucket, ObjectLockConfiguration }));
  await expectTrouble(examine(), 'warning s3.versioning', 'fault s3.lock');
});

test.each([
  ['a key that may not ask about the bucket', policyAgainst('s3:ListBucket', ''), 'fault s3.list'],
  ['a key that may not write', policyAgainst('s3:PutObject'), 'fault s3.write'],
  ['a key that may not read', policyAgainst('s3:GetObject'), 'fault s3.read'],
  ['a key that may not delete', policyAgainst('s3:DeleteObject'), 'fault s3.delete'],
  [
    'a rule that deletes objects',
    (Bucket: string) =>
      new PutBucketLifecycleConfigurationCommand({
        Bucket,
        LifecycleConfiguration: {
          Rules: [{ ID: 'tidy', Status: 'Enabled', Filter: { Prefix: '' }, Expiration: { Days: 30 } }],
        },
      }),
    'fault s3.lifecycle',
  ],
  [
    'a bucket that keeps what is deleted',
    (Bucket: string) => new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status: 'Enabled' } }),
    'warning s3.versioning',
  ],
])('%s', async (_what, change, expected) => {
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  await client.send(change(bucket) as PutBucketPolicyCommand);
  await expectTrouble(examine(), expected);
});
