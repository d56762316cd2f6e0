import { CreateBucketCommand, HeadBucketCommand, S3ServiceException } from '@aws-sdk/client-s3';
import { openClient, type S3Options } from './client.ts';

/** Creates the bucket unless it exists. Returns whether it was created. */
export async function createBucket(options: S3Options): Promise<boolean> {
  const client = openClient(options, { silenceMs: 5_000, maxSockets: 1 });
  const { bucket: Bucket } = options;
  try {
    await client.send(new HeadBucketCommand({ Bucket }));
    return false;
  } catch (error) {
    if (!(error instanceof S3ServiceException) || error.$metadata.httpStatusCode !== 404) throw error;
    await client.send(new CreateBucketCommand({ Bucket }));
    return true;
  } finally {
    client.destroy();
  }
}
