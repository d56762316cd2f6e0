import { S3ServiceException } from '@aws-sdk/client-s3';
import { SetupError } from '../../domain/setup-error.ts';
import { keySettings, neededRights } from './refusal.ts';

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
