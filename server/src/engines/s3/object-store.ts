import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import {
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { ExchangeError } from '../../domain/exchange-error.ts';
import { discardBuffer } from '../../domain/files/discard-buffer.ts';
import { Lane } from '../../domain/lane.ts';
import type { ObjectStore } from '../../domain/ports/index.ts';

export interface S3Options {
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** How long a call may take, with all its attempts. */
  readonly deadlineMs?: number;
  /** How long the store may be silent before the attempt is broken off and another one made. */
  readonly silenceMs?: number;
}

export interface S3ObjectStore extends ObjectStore {
  /** Throws when the bucket does not answer. */
  ping(): Promise<void>;
  close(): void;
}

/** Calls of each kind that are made at a time, each with connections of its own: none can use up those of another. */
const atOnce = { reading: 4, writing: 64, deleting: 4 };
const maxWaiting = 10_000;
/** While the store answers others. */
const longestWaitMs = 60_000;
const ignore = () => undefined;
const silent = { trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore };
const shortestPauseMs = 50;
const longestPauseMs = 1_000;

/** Only PUT, GET and DeleteObjects: nothing to complete, abort or race, and every S3 server has them. */
export function s3ObjectStore(options: S3Options): S3ObjectStore {
  const { deadlineMs = 9_000, silenceMs = 3_000, bucket: Bucket } = options;
  const openClient = (maxSockets: number) =>
    new S3Client({
      endpoint: options.endpoint,
      region: options.region,
      credentials: { accessKeyId: options.accessKeyId, secretAccessKey: options.secretAccessKey },
      forcePathStyle: true,
      // The newer default adds trailing checksums, which Ceph RGW refuses. Every segment carries its own tag.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      // With it, the client would open a connection for every object.
      expectContinueHeader: false,
      // The attempts are made here, within one deadline, and what fails is reported by whoever asked.
      maxAttempts: 1,
      logger: silent,
      requestHandler: {
        connectionTimeout: silenceMs,
        socketTimeout: silenceMs,
        httpAgent: { keepAlive: true, maxSockets },
        httpsAgent: { keepAlive: true, maxSockets },
      },
    });
  const openLane = (calls: number) => ({
    client: openClient(calls),
    lane: new Lane({ atOnce: calls, silenceMs: deadlineMs, waitMs: longestWaitMs, maxWaiting }),
  });
  const reading = openLane(atOnce.reading);
  const writing = openLane(atOnce.writing);
  const deleting = openLane(atOnce.deleting);
  const isSigned = !isProtected(options.endpoint);

  return {
    put: (key, pieces, signal) => {
      const digest = isSigned ? sha256(pieces) : 'UNSIGNED-PAYLOAD';
      const ContentLength = pieces.reduce((sum, piece) => sum + piece.length, 0);
      return inLane(writing.lane, signal, async (abortSignal) => {
        const [only, ...more] = pieces;
        const Body = only && more.length === 0 ? only : Readable.from(pieces);
        const command = new PutObjectCommand({ Bucket, Key: key, Body, ContentLength });
        withBodyDigest(command, digest);
        await writing.client.send(command, { abortSignal });
      });
    },

    read: (key, { offset, length }, signal) =>
      inLane(reading.lane, signal, async (abortSignal) => {
        const Range = `bytes=${offset}-${offset + length - 1}`;
        const answer = await reading.client.send(new GetObjectCommand({ Bucket, Key: key, Range }), { abortSignal });
        if (!(answer.Body instanceof Readable)) throw new Error('the S3 client answered no stream');
        return gather(answer.Body, length);
      }),

    delete: (keys) =>
      inLane(deleting.lane, undefined, async (abortSignal) => {
        const Delete = { Quiet: true, Objects: keys.map((Key) => ({ Key })) };
        const { Errors } = await deleting.client.send(new DeleteObjectsCommand({ Bucket, Delete }), { abortSignal });
        const failed = Errors?.[0];
        if (failed) throw new Error(`${failed.Key}: ${failed.Code}`);
      }),

    ping: () =>
      persist(silenceMs, undefined, async (abortSignal) => {
        await reading.client.send(new HeadBucketCommand({ Bucket }), { abortSignal });
      }),

    close() {
      for (const { client } of [reading, writing, deleting]) client.destroy();
    },
  };
}

async function inLane<Result>(
  lane: Lane,
  signal: AbortSignal | undefined,
  attempt: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const { leftMs, leave } = await lane.enter(signal);
  try {
    const result = await persist(leftMs, signal, attempt);
    leave('answered');
    return result;
  } catch (error) {
    leave('failed');
    throw error;
  }
}

/** Makes attempts until one succeeds, fails for good, or time is up. */
async function persist<Result>(
  deadlineMs: number,
  signal: AbortSignal | undefined,
  attempt: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const deadline = AbortSignal.timeout(deadlineMs);
  const either = signal ? AbortSignal.any([signal, deadline]) : deadline;
  for (let pauseMs = shortestPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    try {
      return await attempt(either);
    } catch (error) {
      signal?.throwIfAborted();
      if (deadline.aborted || !isPassing(error)) throw explained(error);
      // Scattered, so that what failed together is not repeated together.
      await pause(pauseMs * (0.5 + Math.random()), undefined, { signal: either }).catch(() => undefined);
      signal?.throwIfAborted();
      if (deadline.aborted) throw explained(error);
    }
  }
}

/** Whether another attempt may succeed: the store did not answer, or said that it has trouble of its own. */
function isPassing(error: unknown): boolean {
  if (error instanceof ExchangeError) return false;
  const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
  return status === undefined || status >= 500 || status === 429 || status === 408;
}

/** An object that should be there and is not, or is shorter than it was, is damage; anything else passes by itself. */
function explained(error: unknown): ExchangeError {
  if (error instanceof ExchangeError) return error;
  const damaged = error instanceof S3ServiceException && ['NoSuchKey', 'InvalidRange'].includes(error.name);
  return new ExchangeError(damaged ? 'damaged' : 'unavailable', undefined, { cause: error });
}

async function gather(body: Readable, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(length);
  let fill = 0;
  for await (const piece of body as AsyncIterable<Buffer>) {
    if (fill + piece.length > length) throw new Error('the store answered more than it was asked for');
    fill += piece.copy(bytes, fill);
    discardBuffer(piece);
  }
  // A body that was broken off has failed above: the object itself ends here.
  if (fill < length) throw new ExchangeError('damaged', undefined, { cause: new Error('an object ends early') });
  return bytes;
}

/**
 * A signature that covers the body protects a chunk on its way to a store that is reached without TLS over a network. TLS
 * and the machine itself protect it as well, and every segment carries its tag: there the hash, which costs both ends
 * as much as all the rest, is not needed.
 */
function isProtected(endpoint: string): boolean {
  const { protocol, hostname } = new URL(endpoint);
  return protocol === 'https:' || /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}

function sha256(pieces: readonly Buffer[]): string {
  const hash = createHash('sha256');
  for (const piece of pieces) hash.update(piece);
  return hash.digest('hex');
}

function withBodyDigest(command: PutObjectCommand, digest: string): void {
  command.middlewareStack.add(
    (next) => (args) => {
      (args.request as { headers: Record<string, string> }).headers['x-amz-content-sha256'] = digest;
      return next(args);
    },
    { step: 'build', name: 'bodyDigest' },
  );
}
