import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import {
  CreateBucketCommand,
  DeleteBucketLifecycleCommand,
  DeleteBucketPolicyCommand,
  DeleteObjectCommand,
  PutBucketLifecycleConfigurationCommand,
  PutBucketPolicyCommand,
  PutBucketVersioningCommand,
  PutObjectLockConfigurationCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { closedPort, startPeer } from '../../../../tools/shared/tcp.ts';
import { engineAddresses } from '../../../test/engine-addresses.ts';
import { carryOutRemedy, collectFindings, expectTrouble, readRemedy } from '../../../test/findings.ts';
import { bucketNameForTest, openTestClient, removeBucket } from '../../../test/object-store.ts';
import { startTroubledStore } from '../../../test/servers/refusing-store.ts';
import { startStoreWithoutList } from '../../../test/servers/store-without-list.ts';
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

test('silent', async () => {
  await using peer = await startPeer(() => undefined);
  await expectTrouble(examine({ endpoint: `http://127.0.0.1:${peer.port}` }), 'fault s3.reachable');
});

test('no bucket', async () => {
  await expectTrouble(examine(), 'fault s3.bucket');
});

test('an unknown key', async () => {
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  await expectTrouble(examine({ accessKeyId: 'nobody' }), 'fault s3.credentials');
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

function setQuota(...change: readonly string[]): void {
  const conf = fileURLToPath(new URL('../../../../.engines/ceph/ceph.conf', import.meta.url));
  const quota = ['quota', ...change, '--quota-scope=bucket', `--bucket=${bucket}`];
  execFileSync('radosgw-admin', ['--conf', conf, ...quota], { stdio: 'pipe' });
}

test('a full store', async () => {
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  setQuota('set', '--max-objects=0');
  setQuota('enable');
  await carryOutRemedy('s3.space', examine, (remedy) => {
    readRemedy(remedy, /or (raise the quota)/);
    setQuota('set', '--max-objects=1000');
  });
});

const storeRemedy = 'See whether the store is full, and its log';

test.each([
  ['PUT', 'silent', 's3.write', 'An object cannot be written: no response within 3000 ms.'],
  ['PUT', 503, 's3.write', 'An object cannot be written: SlowDown (503).'],
  ['GET', 503, 's3.read', 'An object cannot be read: SlowDown (503).'],
  ['POST', 'silent', 's3.delete', 'An object cannot be deleted: no response within 3000 ms.'],
] as const)('a store to which %s leads to: %s', async (method, trouble, check, says) => {
  await using store = await startTroubledStore(method, trouble);
  const findings = await collectFindings(examine({ endpoint: store.endpoint }));
  expect(findings.find((finding) => finding.check === check)).toMatchObject({
    status: 'fault',
    says: expect.stringContaining(says),
    remedy: expect.stringContaining(storeRemedy),
  });
});

test('a bucket that locks every object', async () => {
  await client.send(new CreateBucketCommand({ Bucket: bucket, ObjectLockEnabledForBucket: true }));
  const Rule = { DefaultRetention: { Mode: 'GOVERNANCE', Days: 1 } } as const;
  const ObjectLockConfiguration = { ObjectLockEnabled: 'Enabled', Rule } as const;
  await client.send(new PutObjectLockConfigurationCommand({ Bucket: bucket, ObjectLockConfiguration }));
  await expectTrouble(examine(), 'warning s3.versioning', 'fault s3.lock');
  const unlock = (remedy: string) => {
    expect(remedy).toBe('Remove the default retention of the bucket.');
    const without = { ObjectLockEnabled: 'Enabled' } as const;
    return client.send(new PutObjectLockConfigurationCommand({ Bucket: bucket, ObjectLockConfiguration: without }));
  };
  await carryOutRemedy('s3.lock', examine, unlock, 's3.versioning');
});

test('what the remedies correct or allow helps', async () => {
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  let options: Parameters<typeof examine>[0] = { endpoint: `http://127.0.0.1:${await closedPort()}` };
  const correct = (remedy: string) => {
    readRemedy(remedy, /(orrect WAYBILL_S3_(?:ENDPOINT|ACCESS_KEY_ID and WAYBILL_S3_SECRET_ACCESS_KEY))/);
    options = {};
  };
  await carryOutRemedy('s3.reachable', () => examine(options), correct);
  options = { secretAccessKey: 'wrong' };
  await carryOutRemedy('s3.credentials', () => examine(options), correct);
  const deny = (action: string, objects?: string) => client.send(policyAgainst(action, objects)(bucket));
  const allow = (action: string) => async (remedy: string) => {
    expect(readRemedy(remedy, /^Allow the key (s3:\w+) on/)).toBe(action);
    await client.send(new DeleteBucketPolicyCommand({ Bucket: bucket }));
    const [, Key] = /and delete (\S+)\.$/.exec(remedy) ?? [];
    if (Key) await client.send(new DeleteObjectCommand({ Bucket: bucket, Key }));
  };
  await deny('s3:ListBucket', '');
  await carryOutRemedy('s3.list', examine, allow('s3:ListBucket'));
  await deny('s3:PutObject');
  await carryOutRemedy('s3.write', examine, allow('s3:PutObject'));
  await deny('s3:GetObject');
  await carryOutRemedy('s3.read', examine, allow('s3:GetObject'));
  await deny('s3:DeleteObject');
  await carryOutRemedy('s3.delete', examine, allow('s3:DeleteObject'));
});

const setVersioning = (Status: 'Enabled' | 'Suspended') =>
  client.send(new PutBucketVersioningCommand({ Bucket: bucket, VersioningConfiguration: { Status } }));

test('rules that delete objects are removed, versioning is suspended or has a rule that ends it', async () => {
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  const putRule = (rule: object) =>
    client.send(
      new PutBucketLifecycleConfigurationCommand({
        Bucket: bucket,
        LifecycleConfiguration: { Rules: [{ ID: 'tidy', Status: 'Enabled', Filter: { Prefix: '' }, ...rule }] },
      }),
    );
  await putRule({ Expiration: { Days: 30 } });
  await carryOutRemedy('s3.lifecycle', examine, (remedy) => {
    readRemedy(remedy, /(Remove these rules)/);
    return client.send(new DeleteBucketLifecycleCommand({ Bucket: bucket }));
  });
  await setVersioning('Enabled');
  await carryOutRemedy('s3.versioning', examine, (remedy) => {
    readRemedy(remedy, /(Suspend versioning)/);
    return setVersioning('Suspended');
  });
  await setVersioning('Enabled');
  await putRule({ Filter: { Prefix: 'day-keys/' }, NoncurrentVersionExpiration: { NoncurrentDays: 7 } });
  await carryOutRemedy('s3.versioning', examine, (remedy) => {
    readRemedy(remedy, /add a (rule for all objects that deletes noncurrent versions) after some days/);
    return putRule({
      Expiration: { ExpiredObjectDeleteMarker: true },
      NoncurrentVersionExpiration: { NoncurrentDays: 7 },
    });
  });
});
