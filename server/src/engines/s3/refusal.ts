import { type S3Client, S3ServiceException } from '@aws-sdk/client-s3';
import { ExchangeError } from '../../domain/exchange-error.ts';

export const keySettings = 'WAYBILL_S3_ACCESS_KEY_ID, WAYBILL_S3_SECRET_ACCESS_KEY, WAYBILL_S3_REGION';
export const neededRights = 's3:ListBucket, s3:GetObject, s3:PutObject and s3:DeleteObject';

/** A response of the store that is an error, with the buckets of the call, which a response does not name. */
type Refused = S3ServiceException & { buckets?: string };

/** The buckets that a call is about: a copy is refused because of either. */
interface CallInput {
  readonly Bucket?: string;
  readonly CopySource?: string;
}

/** Makes the errors of all calls name their buckets, those without a text their code, and those of silence how long it was. */
export function nameRefusals(client: S3Client, silenceMs: number): void {
  client.middlewareStack.add(
    (next) => async (args) => {
      try {
        return await next(args);
      } catch (error) {
        if (error instanceof S3ServiceException) {
          const { Bucket = '', CopySource } = args.input as CallInput;
          const buckets = [Bucket, ...(CopySource === undefined ? [] : [CopySource.split('/')[0]])];
          (error as Refused).buckets = buckets.map((bucket) => `“${bucket}”`).join(' or ');
          if (error.message === 'UnknownError') error.message = `${error.name} (${error.$metadata.httpStatusCode})`;
        }
        // Without its cause, which would be written beside it.
        if (error instanceof Error && error.name === 'TimeoutError') {
          // oxlint-disable-next-line preserve-caught-error
          throw new Error(`no response within ${silenceMs} ms`);
        }
        throw error;
      }
    },
    { step: 'initialize', name: 'nameRefusals' },
  );
}

/** Whether the store has no room for what is written. */
export const isFull = (error: unknown): boolean =>
  error instanceof S3ServiceException &&
  (error.$metadata.httpStatusCode === 507 || /Quota|StorageFull|InsufficientStorage/i.test(error.name));

/** A call that failed, and may succeed later, or when an operator has done something about it. */
export function toUnavailable(error: unknown): ExchangeError {
  const cause = error instanceof S3ServiceException && error.name === 'AccessDenied' ? toRefusal(error) : error;
  return new ExchangeError('unavailable', undefined, { cause, engine: 's3', remedy: findRemedy(error) });
}

/** A refusal is never taken for a missing object, although a store may refuse to say that one is missing. */
function toRefusal(cause: unknown): Error {
  return new Error(
    `access is refused: the key needs ${neededRights}, without which a store may refuse to say that an object is missing. See: waybilld admin doctor s3`,
    { cause },
  );
}

/** The remedy for a store that responds, and refuses or has no room; undefined for any other error. */
function findRemedy(error: unknown): string | undefined {
  if (!(error instanceof S3ServiceException)) return undefined;
  const { buckets = '' } = error as Refused;
  if (isFull(error)) return `There is no room left in the bucket ${buckets}: add storage, or raise the quota.`;
  if (error.name === 'NoSuchBucket') return `There is no bucket ${buckets}: create it, or correct its name.`;
  const status = error.$metadata.httpStatusCode ?? 0;
  const isRefused = status >= 400 && status < 500 && status !== 408 && status !== 429;
  if (!isRefused) return undefined;
  return `Check ${keySettings} and what the key may do with the bucket ${buckets}: it needs ${neededRights}.`;
}
