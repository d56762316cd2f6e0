import {
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectsCommand,
  ListObjectsV2Command,
  NoSuchBucket,
  S3Client,
} from '@aws-sdk/client-s3';
import { inject } from 'vitest';
import { type S3ObjectStore, s3ObjectStore } from '../engines/s3/object-store.ts';
import { engineAddresses } from './engine-addresses.ts';

export interface TestObjectStore extends S3ObjectStore {
  /** The keys that start with these, in order. */
  keys(...prefixes: readonly string[]): Promise<string[]>;
}

/** The run's bucket on the real store. Files share it: every key starts with an id that nobody else has. */
export async function openTestObjectStore(): Promise<TestObjectStore> {
  const bucket = bucketOf(inject('runId'));
  const client = openClient();
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

export async function removeBucketOfRun(runId: string): Promise<void> {
  const client = openClient();
  const bucket = bucketOf(runId);
  try {
    for (;;) {
      const keys = await keysIn(client, bucket, '');
      if (keys.length === 0) break;
      await client.send(
        new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects: keys.map((Key) => ({ Key })) } }),
      );
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

function openClient(): S3Client {
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

const bucketOf = (runId: string) => `waybill-test-${runId}`;
