import { CreateBucketCommand, HeadBucketCommand, S3ServiceException } from '@aws-sdk/client-s3';
import { ExchangeError } from '../../domain/exchange-error.ts';
import { SetupError } from '../../domain/setup-error.ts';
import { openClient, type S3Options } from './client.ts';
import { keySettings, neededRights, toUnavailable } from './refusal.ts';

/**
 * Creates the bucket unless it exists. Returns whether it was created. `beforeCreation` may refuse that by throwing an
 * ExchangeError.
 */
export async function createBucket(options: S3Options, beforeCreation?: () => Promise<void>): Promise<boolean> {
  const client = openClient(options, { silenceMs: 5_000, maxSockets: 1 });
  const { bucket: Bucket } = options;
  try {
    const exists = await client.send(new HeadBucketCommand({ Bucket })).then(() => true, isUnknown);
    if (exists) return false;
    await beforeCreation?.();
    await client.send(new CreateBucketCommand({ Bucket }));
    return true;
  } catch (cause) {
    if (cause instanceof ExchangeError) throw cause;
    const name = cause instanceof S3ServiceException ? cause.name : '';
    if (name === 'BucketAlreadyOwnedByYou') return false;
    const says = refusals[name];
    if (says !== undefined) throw new SetupError(`S3: ${says(Bucket)}`, { cause });
    const error = toUnavailable(cause);
    throw bucketSetupError(error, Bucket, `s3:CreateBucket, ${neededRights}`) ?? error;
  } finally {
    client.destroy();
  }
}

const refusals: Readonly<Record<string, (bucket: string) => string>> = {
  BucketAlreadyExists: (bucket) =>
    `the bucket "${bucket}" exists and belongs to somebody else. Choose another name: WAYBILL_S3_BUCKET.`,
  InvalidBucketName: (bucket) =>
    `"${bucket}" cannot be the name of a bucket. Correct WAYBILL_S3_BUCKET: use 3 to 63 lower-case letters, digits and hyphens.`,
};

/** The response to a refused HEAD has no text: the creation, which is refused for the same reason, says why. */
function isUnknown(error: unknown): false {
  const status = error instanceof S3ServiceException ? (error.$metadata.httpStatusCode ?? 0) : 0;
  if (status >= 400 && status < 500) return false;
  throw error;
}

/**
 * Translates the store's response to a query about the bucket into an error in our settings; undefined if it shows none.
 */
export function bucketSetupError(error: unknown, bucket: string, rights = neededRights): SetupError | undefined {
  const response = findResponse(error);
  if (!response) return undefined;
  const status = response.$metadata.httpStatusCode ?? 0;
  if (status === 404) {
    return new SetupError(
      `S3: there is no bucket "${bucket}". Correct WAYBILL_S3_BUCKET or WAYBILL_S3_ENDPOINT, or run \`waybilld admin bucket create\` for a new installation.`,
      { cause: response },
    );
  }
  if (![400, 401, 403].includes(status)) return undefined;
  return new SetupError(
    `S3: access to the bucket "${bucket}" is refused. Check ${keySettings} and what the key may do: it needs ${rights}.`,
    { cause: response },
  );
}

function findResponse(error: unknown): S3ServiceException | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof S3ServiceException) return cause;
  }
  return undefined;
}
