import { randomBytes } from 'node:crypto';
import {
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteBucketPolicyCommand,
  DeleteObjectsCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  NoSuchBucket,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { inject } from 'vitest';
import { type S3ObjectStore, s3ObjectStore } from '../src/engines/s3/object-store.ts';
import { engineAddresses } from './engine-addresses.ts';

export interface TestObjectStore extends S3ObjectStore {
  /** The keys that start with this prefix, in order. */
  keys(...prefixes: readonly string[]): Promise<string[]>;
}

/** The run's bucket on the real store. Test files share it: every key starts with a unique id. */
export async function openTestObjectStore(): Promise<TestObjectStore> {
  const bucket = nameBucket(inject('runId'));
  const client = openTestClient();
  await client.send(new CreateBucketCommand({ Bucket: bucket })).catch(unlessOurs);
  const store = s3ObjectStore({ ...engineAddresses.s3, bucket });
  return {
    ...store,
    async keys(...prefixes) {
      const found: string[] = [];
      for (const prefix of prefixes) found.push(...(await keysIn(client, bucket, prefix)));
      return found.toSorted();
    },
    close() {
      store.close();
      client.destroy();
    },
  };
}

/** For a test that needs a bucket of its own, or none. */
export const bucketNameForTest = () => `${nameBucket(inject('runId'))}-${randomBytes(4).toString('hex')}`;

/** A test's own bucket, removed at the end. */
export async function createEmptyBucket(): Promise<
  { name: string; put(key: string, body: Buffer): Promise<void> } & AsyncDisposable
> {
  const name = bucketNameForTest();
  const client = openTestClient();
  await client.send(new CreateBucketCommand({ Bucket: name }));
  return {
    name,
    async put(key, body) {
      await client.send(new PutObjectCommand({ Bucket: name, Key: key, Body: body }));
    },
    async [Symbol.asyncDispose]() {
      client.destroy();
      await removeBucket(name);
    },
  };
}

export const removeBucketOfRun = (runId: string) => removeBucket(nameBucket(runId));

/** With its objects, if it exists. */
export async function removeBucket(bucket: string): Promise<void> {
  const client = openTestClient();
  try {
    // It might forbid the rest.
    await client.send(new DeleteBucketPolicyCommand({ Bucket: bucket }));
    for (;;) {
      const { Versions = [], DeleteMarkers = [] } = await client.send(
        new ListObjectVersionsCommand({ Bucket: bucket }),
      );
      const Objects = [...Versions, ...DeleteMarkers].map(({ Key, VersionId }) => ({ Key, VersionId }));
      if (Objects.length === 0) break;
      const Delete = { Objects };
      await client.send(new DeleteObjectsCommand({ Bucket: bucket, Delete, BypassGovernanceRetention: true }));
    }
    await client.send(new DeleteBucketCommand({ Bucket: bucket }));
  } catch (error) {
    if (!(error instanceof NoSuchBucket) && (error as Error).name !== 'NoSuchBucket') throw error;
  } finally {
    client.destroy();
  }
}

/** Up to a thousand. */
async function keysIn(client: S3Client, bucket: string, prefix: string): Promise<string[]> {
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix }));
  return Contents.map((object) => object.Key as string);
}

/** For what the program itself never does. */
export function openTestClient(): S3Client {
  const { accessKeyId, secretAccessKey, ...address } = engineAddresses.s3;
  return new S3Client({
    ...address,
    credentials: { accessKeyId, secretAccessKey },
    forcePathStyle: true,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
}

function unlessOurs(error: unknown): void {
  if (!['BucketAlreadyOwnedByYou', 'BucketAlreadyExists'].includes((error as Error).name)) throw error;
}

const nameBucket = (runId: string) => `waybill-test-${runId}`;
