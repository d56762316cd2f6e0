import { randomUUID } from 'node:crypto';
import {
  DeleteObjectsCommand,
  GetBucketLifecycleConfigurationCommand,
  GetBucketVersioningCommand,
  GetObjectCommand,
  GetObjectLockConfigurationCommand,
  HeadBucketCommand,
  type LifecycleRule,
  PutObjectCommand,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import type { Finding } from '../../domain/doctor/finding.ts';
import { clockFinding, fault, ok, reachRemedy, reason, skipped, warning } from '../../domain/doctor/finding.ts';
import { openClient, type S3Options } from './client.ts';
import { isPassing } from './persist.ts';
import { isFull } from './refusal.ts';

export interface S3Examination extends S3Options {
  readonly now?: () => number;
}

const silenceMs = 3_000;
const content = 'Written by waybilld admin doctor, which deletes it at once.';

export async function* examineS3({ now = Date.now, ...options }: S3Examination): AsyncGenerator<Finding> {
  const { bucket: Bucket } = options;
  const client = openClient(options, { silenceMs, maxSockets: 4, clockOffsetMs: now() - Date.now() });
  let storeTime: number | undefined;
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const { headers } = result.response as { headers?: Readonly<Record<string, string>> };
      storeTime = Date.parse(headers?.['date'] ?? '') || storeTime;
      return result;
    },
    { step: 'deserialize', name: 'storeTime' },
  );
  try {
    const refused = await client.send(new HeadBucketCommand({ Bucket })).catch((error: Error) => error);
    const clock = storeTime === undefined ? undefined : clockFinding('s3.clock', 'the S3 server', storeTime, now());
    if (clock) yield clock;
    if (!(refused instanceof Error)) {
      yield ok('s3.bucket', `The bucket “${Bucket}” responds.`);
    } else if (clock?.status === 'ok' && (await isRefusedToList(client, Bucket, refused))) {
      yield fault(
        's3.list',
        `The key may not ask for the bucket “${Bucket}”, so no process starts.`,
        `Allow the key s3:ListBucket on “${Bucket}”, or correct WAYBILL_S3_BUCKET if that is the bucket of somebody else.`,
      );
    } else {
      yield describeRefusal(refused, Bucket);
      return;
    }
    yield* objectFindings(client, Bucket, !(refused instanceof Error));
    yield await lifecycle(client, Bucket);
    yield await versioning(client, Bucket);
    yield await objectLock(client, Bucket);
  } finally {
    client.destroy();
  }
}

const keySettings = 'WAYBILL_S3_ACCESS_KEY_ID and WAYBILL_S3_SECRET_ACCESS_KEY';
const readStatus = (error: unknown) =>
  error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;

/** Some stores explain nothing but the name of the error. */
const why = (error: unknown) =>
  error instanceof S3ServiceException ? `${error.name} (${readStatus(error)})` : reason(error);

function describeRefusal(error: Error, bucket: string): Finding {
  const status = readStatus(error);
  if (status === undefined || status >= 500) {
    const remedy = 'Start it, check that this machine may connect to it, or correct WAYBILL_S3_ENDPOINT.';
    return fault('s3.reachable', `The S3 server is out of reach: ${why(error)}.`, reachRemedy(error, remedy));
  }
  if (status === 404) {
    const remedy =
      'Correct WAYBILL_S3_BUCKET or WAYBILL_S3_ENDPOINT, or run `waybilld admin bucket create` for a new installation.';
    return fault('s3.bucket', `There is no bucket “${bucket}”.`, remedy);
  }
  const remedy = `Correct ${keySettings}, WAYBILL_S3_REGION, or what the key may do. A wrong clock (s3.clock) also makes a store refuse.`;
  return fault('s3.credentials', `Access to the bucket “${bucket}” is refused (${status}).`, remedy);
}

/** The error of an object that does not exist; undefined if the store returns one. */
async function requestMissing(client: S3Client, Bucket: string): Promise<Error | undefined> {
  const command = new GetObjectCommand({ Bucket, Key: `doctor/${randomUUID()}` });
  return client.send(command).then(
    () => undefined,
    (error: Error) => error,
  );
}

/** Whether the store knows the key, and refuses only to say something about the bucket. A refused HEAD gives no reason. */
async function isRefusedToList(client: S3Client, bucket: string, error: Error): Promise<boolean> {
  if (readStatus(error) !== 403) return false;
  return ['NoSuchKey', 'AccessDenied'].includes((await requestMissing(client, bucket))?.name ?? '');
}

async function findMissing(client: S3Client, bucket: string): Promise<Finding> {
  const error = await requestMissing(client, bucket);
  if (error?.name === 'NoSuchKey') return ok('s3.list', 'The store says of an object that it is missing.');
  const says = error
    ? `The store does not say that an object is missing: ${why(error)}. The evidence log does not begin, because its checkpoint might exist.`
    : 'The store returns an object that does not exist.';
  return fault('s3.list', says, `Allow the key s3:ListBucket on “${bucket}”.`);
}

/** Writes, reads and deletes one object, as Waybill does. */
async function* objectFindings(client: S3Client, Bucket: string, mayList: boolean): AsyncGenerator<Finding> {
  const Key = `doctor/${randomUUID()}`;
  try {
    await client.send(new PutObjectCommand({ Bucket, Key, Body: content }));
  } catch (error) {
    yield writeFault(error);
    return;
  }
  yield ok('s3.write', 'The key may write objects.');
  try {
    const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }));
    yield (await Body?.transformToString()) === content
      ? ok('s3.read', 'The key may read objects.')
      : fault('s3.read', 'An object is not what was written.', 'Look at the log of the S3 server, and at its disks.');
    if (mayList) yield await findMissing(client, Bucket);
  } catch (error) {
    const remedy = findRemedy(error, `Allow the key s3:GetObject on “${Bucket}”`);
    yield fault('s3.read', `An object cannot be read: ${why(error)}.`, `${remedy}.`);
  }
  const refused = await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects: [{ Key }] } })).then(
    ({ Errors }) => Errors?.[0]?.Code,
    (error: Error) => error,
  );
  yield refused === undefined
    ? ok('s3.delete', 'The key may delete objects.')
    : fault(
        's3.delete',
        `An object cannot be deleted: ${refused instanceof Error ? why(refused) : refused}. Ended drops would stay in the bucket.`,
        `${findRemedy(refused, `Allow the key s3:DeleteObject on “${Bucket}”`)}, and delete ${Key}.`,
      );
}

/** A right is missing only if the store says so: one whose disks are full may be silent, or report an error of its own. */
const findRemedy = (error: unknown, allow: string) =>
  error instanceof Error && isPassing(error) ? 'See whether the store is full, and its log' : allow;

function writeFault(error: unknown): Finding {
  return isFull(error)
    ? fault('s3.space', `The store has no space left: ${why(error)}.`, 'Add storage, or raise the quota.')
    : fault(
        's3.write',
        `An object cannot be written: ${why(error)}.`,
        `${findRemedy(error, 'Allow the key s3:PutObject on the bucket')}.`,
      );
}

/** The key does not need the permission to ask, so a refusal shows nothing. */
const cannotAsk = (check: string, what: string) => skipped(check, `The key may not ask for ${what}.`);

async function lifecycle(client: S3Client, Bucket: string): Promise<Finding> {
  const none = ok('s3.lifecycle', 'No rule of the bucket deletes objects.');
  try {
    const { Rules = [] } = await client.send(new GetBucketLifecycleConfigurationCommand({ Bucket }));
    // A rule for the markers that are left of deleted versions deletes no object.
    const deletes = ({ Expiration: { Days, Date: date } = {} }: LifecycleRule) => (Days ?? date) !== undefined;
    const harmful = Rules.filter((rule) => rule.Status === 'Enabled' && (deletes(rule) || rule.Transitions));
    if (harmful.length === 0) return none;
    const ids = harmful.map(({ ID }) => ID ?? 'without a name').join(', ');
    return fault(
      's3.lifecycle',
      `The bucket deletes or moves objects that Waybill still needs, by its lifecycle rules: ${ids}.`,
      'Remove these rules. Waybill itself deletes what is due.',
    );
  } catch (error) {
    return readStatus(error) === 404 ? none : cannotAsk('s3.lifecycle', 'lifecycle rules');
  }
}

async function versioning(client: S3Client, Bucket: string): Promise<Finding> {
  try {
    const { Status } = await client.send(new GetBucketVersioningCommand({ Bucket }));
    if (Status !== 'Enabled') return ok('s3.versioning', 'Deleted objects are not kept.');
    const days = await countVersionDays(client, Bucket);
    if (days !== undefined) return ok('s3.versioning', `Deleted objects are kept for ${days} days, as a rule says.`);
    return warning(
      's3.versioning',
      'The bucket keeps old versions: deleted objects still use space, and destroyed day keys can be brought back, with which a backup can be read after its files have ended.',
      'Suspend versioning and delete the old versions, or add a rule for all objects that deletes noncurrent versions after some days.',
    );
  } catch {
    return cannotAsk('s3.versioning', 'versioning');
  }
}

/** After how many days a rule deletes what was deleted or replaced; undefined if no rule does, or none can be read. */
async function countVersionDays(client: S3Client, Bucket: string): Promise<number | undefined> {
  const { Rules = [] } = await client
    .send(new GetBucketLifecycleConfigurationCommand({ Bucket }))
    .catch((): { Rules?: LifecycleRule[] } => ({}));
  const isForAll = ({ Filter, Prefix }: LifecycleRule) =>
    !(
      Prefix ||
      Filter?.Prefix ||
      Filter?.Tag ||
      Filter?.And ||
      Filter?.ObjectSizeGreaterThan ||
      Filter?.ObjectSizeLessThan
    );
  return Rules.filter((rule) => rule.Status === 'Enabled' && isForAll(rule))
    .map(({ NoncurrentVersionExpiration: { NoncurrentDays, NewerNoncurrentVersions } = {} }) =>
      NewerNoncurrentVersions ? undefined : NoncurrentDays,
    )
    .find((days) => days !== undefined);
}

async function objectLock(client: S3Client, Bucket: string): Promise<Finding> {
  const none = ok('s3.lock', 'No lock keeps objects from being deleted.');
  try {
    const { ObjectLockConfiguration } = await client.send(new GetObjectLockConfigurationCommand({ Bucket }));
    if (!ObjectLockConfiguration?.Rule?.DefaultRetention) return none;
    return fault(
      's3.lock',
      'The bucket locks every object for a time, in which Waybill cannot delete it.',
      'Remove the default retention of the bucket.',
    );
  } catch (error) {
    return [400, 404, 405, 501].includes(readStatus(error) ?? 0) ? none : cannotAsk('s3.lock', 'the object lock');
  }
}
