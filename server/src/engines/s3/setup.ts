import { S3ServiceException } from '@aws-sdk/client-s3';
import { SetupError } from '../../domain/setup-error.ts';

/**
 * Translates the store's response to a query about the bucket into an error in our settings; undefined if it shows none.
 */
export function bucketSetupError(error: unknown, bucket: string): SetupError | undefined {
  const response = (error as Error).cause;
  if (!(response instanceof S3ServiceException)) return undefined;
  const status = response.$metadata.httpStatusCode ?? 0;
  if (status === 404) {
    return new SetupError(
      `S3: there is no bucket "${bucket}". Run \`waybilld admin bucket create\`, or correct WAYBILL_S3_BUCKET or WAYBILL_S3_ENDPOINT.`,
      { cause: response },
    );
  }
  if (![400, 401, 403].includes(status)) return undefined;
  return new SetupError(
    `S3: access to the bucket "${bucket}" is refused. Check WAYBILL_S3_ACCESS_KEY_ID, WAYBILL_S3_SECRET_ACCESS_KEY, WAYBILL_S3_REGION and what the key may do: it needs s3:ListBucket, s3:GetObject, s3:PutObject and s3:DeleteObject.`,
    { cause: response },
  );
}
