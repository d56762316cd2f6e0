import { Readable } from 'node:stream';
import {
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { ExchangeError } from '../../domain/exchange-error.ts';
import type { ObjectStore } from '../../domain/ports.ts';

export interface S3Options {
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export interface S3ObjectStore extends ObjectStore {
  /** Throws when the bucket does not answer. */
  ping(): Promise<void>;
  close(): void;
}

/** Only PUT, GET and DeleteObjects: nothing to complete, abort or race, and every S3 server has them. */
export function s3ObjectStore(options: S3Options): S3ObjectStore {
  const client = new S3Client({
    endpoint: options.endpoint,
    region: options.region,
    credentials: { accessKeyId: options.accessKeyId, secretAccessKey: options.secretAccessKey },
    forcePathStyle: true,
    // The newer default adds trailing checksums, which Ceph RGW refuses. Every segment carries its own tag.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: 5,
    requestHandler: {
      connectionTimeout: 2_000,
      requestTimeout: 30_000,
      // A store that falls silent in the middle of an object is asked again from there.
      socketTimeout: 20_000,
      throwOnRequestTimeout: true,
      httpAgent: { keepAlive: true, maxSockets: 256 },
      httpsAgent: { keepAlive: true, maxSockets: 256 },
    },
  });
  const Bucket = options.bucket;

  return {
    async put(key, body, signal) {
      const command = new PutObjectCommand({ Bucket, Key: key, Body: body, ContentLength: body.length });
      await signBody(command, body);
      await client.send(command, { abortSignal: signal }).catch(explain);
    },

    async read(key, { offset, length }, signal) {
      const Range = `bytes=${offset}-${offset + length - 1}`;
      const answer = await client
        .send(new GetObjectCommand({ Bucket, Key: key, Range }), { abortSignal: signal })
        .catch(explain);
      if (!(answer.Body instanceof Readable)) throw new Error('the S3 client answered no stream');
      return answer.Body;
    },

    async delete(keys) {
      const answer = await client
        .send(new DeleteObjectsCommand({ Bucket, Delete: { Quiet: true, Objects: keys.map((Key) => ({ Key })) } }))
        .catch(explain);
      const failed = answer.Errors?.[0];
      if (failed)
        throw new ExchangeError('unavailable', undefined, { cause: new Error(`${failed.Key}: ${failed.Code}`) });
    },

    async ping() {
      await client.send(new HeadBucketCommand({ Bucket })).catch(explain);
    },

    close: () => client.destroy(),
  };
}

/**
 * A signature covers the body, which protects a chunk on its way to a store reached without TLS. The SDK would hash it
 * on this thread, which has sealing to do; given the hash, it does not.
 */
async function signBody(command: PutObjectCommand, body: Buffer): Promise<void> {
  const digest = Buffer.from(await sha256(body)).toString('hex');
  command.middlewareStack.add(
    (next) => (args) => {
      (args.request as { headers: Record<string, string> }).headers['x-amz-content-sha256'] = digest;
      return next(args);
    },
    { step: 'build', name: 'bodyDigest' },
  );
}

let hashing: Promise<unknown> = Promise.resolve();

/** One at a time: each begins with a copy of its chunk, and four of them at once would double an upload's memory. */
function sha256(body: Buffer): Promise<ArrayBuffer> {
  const digest = hashing.then(() => crypto.subtle.digest('SHA-256', body as Buffer<ArrayBuffer>));
  hashing = digest.catch(() => undefined);
  return digest;
}

/** An object that should be there and is not, or is shorter than it was, is damage; anything else passes by itself. */
function explain(error: unknown): never {
  const damaged = error instanceof S3ServiceException && ['NoSuchKey', 'InvalidRange'].includes(error.name);
  throw new ExchangeError(damaged ? 'damaged' : 'unavailable', undefined, { cause: error });
}
