import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import {
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  paginateListObjectsV2,
  S3Client,
} from '@aws-sdk/client-s3';
import { enginesDir } from './environment.ts';

const run = promisify(execFile);

/** A client for the S3 engine that tools/engines runs. */
export function engineS3(): S3Client {
  return new S3Client({
    endpoint: 'http://127.0.0.1:7480',
    region: 'us-east-1',
    credentials: { accessKeyId: 'waybill', secretAccessKey: 'waybill-secret' },
    forcePathStyle: true,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
}

export async function createBucket(bucket: string): Promise<void> {
  const client = engineS3();
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  client.destroy();
}

/** Together with everything in it. */
export async function deleteBucket(bucket: string): Promise<void> {
  const client = engineS3();
  for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket: bucket })) {
    for (const { Key } of Contents) await client.send(new DeleteObjectCommand({ Bucket: bucket, Key }));
  }
  await client.send(new DeleteBucketCommand({ Bucket: bucket }));
  client.destroy();
}

/**
 * At once, bypassing the store's own garbage collection: for buckets that contain more than the store can hold twice.
 */
export async function purgeBucket(bucket: string): Promise<void> {
  const env = { ...process.env, CEPH_CONF: `${enginesDir}/ceph/ceph.conf` };
  await run('radosgw-admin', ['bucket', 'rm', `--bucket=${bucket}`, '--purge-objects', '--bypass-gc'], { env });
}
