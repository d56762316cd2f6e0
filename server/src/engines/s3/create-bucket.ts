import { CreateBucketCommand, HeadBucketCommand, S3ServiceException } from '@aws-sdk/client-s3';
import { ExchangeError } from '../../domain/exchange-error.ts';
import { openClient, type S3Options } from './client.ts';
import { bucketSetupError } from './setup.ts';

/** Creates the bucket unless it exists. Returns whether it was created. */
export async function createBucket(options: S3Options): Promise<boolean> {
  const client = openClient(options, { silenceMs: 5_000, maxSockets: 1 });
  const { bucket: Bucket } = options;
  try {
    const exists = await client.send(new HeadBucketCommand({ Bucket })).then(() => true, isMissing);
    if (!exists) await client.send(new CreateBucketCommand({ Bucket }));
    return !exists;
  } catch (cause) {
    // The response to a refused HEAD has no text, so the SDK calls it an unknown error.
    const error = new ExchangeError('unavailable', undefined, { cause, engine: 's3' });
    throw bucketSetupError(error, Bucket) ?? error;
  } finally {
    client.destroy();
  }
}

function isMissing(error: unknown): false {
  if (error instanceof S3ServiceException && error.$metadata.httpStatusCode === 404) return false;
  throw error;
}
