import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { DeleteObjectsCommand, GetObjectCommand, HeadBucketCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { ExchangeError } from '../../domain/exchange-error.ts';
import { ConcurrencyLimiter, type LimiterOptions } from '../../domain/flow/concurrency-limiter.ts';
import { discardBuffer } from '../../domain/flow/discard-buffer.ts';
import type { ObjectStore } from '../../domain/ports/object-store.ts';
import { openClient, type S3Options } from './client.ts';
import { isPassing, persist, withinLimit } from './persist.ts';

export interface S3ObjectStoreOptions extends S3Options {
  /** How long a call may take, including all its attempts. */
  readonly deadlineMs?: number;
  /** How long the store may be silent before the attempt is aborted and another one is made. */
  readonly silenceMs?: number;
}

export interface S3ObjectStore extends ObjectStore {
  /** The calls in flight and waiting, of each kind. */
  readonly limiters: Readonly<Record<'reading' | 'writing' | 'deleting', ConcurrencyLimiter>>;
  /** Throws when the bucket does not respond. */
  ping(): Promise<void>;
  close(): void;
}

/**
 * How many calls of each kind are made at a time. Each kind has its own connections, so none can use up those of
 * another.
 */
const atOnce = { writing: 64, deleting: 4 };
/**
 * A read keeps this process busy for a millisecond or more, so four are enough for a store that responds at once. One
 * that is waiting for its first byte keeps it busy with nothing: there is one more for each millisecond of that. The
 * bytes of each belong to a reader, which holds no more of them than it may (`read-ahead-memory.ts`).
 */
const readsAtOnce = { least: 4, most: 64, perMs: 1 };
const maxWaiting = 10_000;
/** Some servers, such as OpenStack Swift, delete one object after the other, and are silent meanwhile. */
const deletedAtOnce = 50;
/** After this many failures and no success, the store is at fault and not the objects. */
const failedInRow = 10;
/** Less than the watch over the engines waits, so that the reason of a failure is known by then. */
const checkMs = 1_800;
/** While the store responds to other calls. */
const longestWaitMs = 60_000;

/** Uses only PUT, GET and DeleteObjects: nothing to complete, abort or race, and every S3 server has them. */
export function s3ObjectStore(options: S3ObjectStoreOptions): S3ObjectStore {
  const { deadlineMs = 9_000, silenceMs = 3_000, bucket: Bucket } = options;
  const open = (maxSockets: number, limit: LimiterOptions['limit'] = maxSockets) => ({
    client: openClient(options, { silenceMs, maxSockets }),
    limiter: new ConcurrencyLimiter({ limit, silenceMs: deadlineMs, waitMs: longestWaitMs, maxWaiting, engine: 's3' }),
  });
  const firstByte = new FirstByte();
  const reading = open(readsAtOnce.most, () =>
    Math.min(readsAtOnce.most, readsAtOnce.least + Math.floor(firstByte.ms * readsAtOnce.perMs)),
  );
  const writing = open(atOnce.writing);
  const deleting = open(atOnce.deleting);
  const isSigned = !isProtected(options.endpoint);
  const ping = () =>
    persist(Math.min(silenceMs, checkMs), undefined, async (abortSignal) => {
      await reading.client.send(new HeadBucketCommand({ Bucket }), { abortSignal });
    });
  /** Returns those that were not deleted. */
  const requestDeletion = async (keys: readonly string[], abortSignal: AbortSignal) => {
    const command = new DeleteObjectsCommand({
      Bucket,
      Delete: { Quiet: true, Objects: keys.map((Key) => ({ Key })) },
    });
    const { Errors = [] } = await deleting.client.send(command, { abortSignal });
    const failed = new Set(Errors.map(({ Key }) => Key));
    return keys.filter((key) => failed.has(key));
  };
  /** Some servers fail the whole request for one object, so those that cannot be deleted together are tried one by one. */
  const deleteSome = async (keys: readonly string[]): Promise<readonly string[]> => {
    let left = keys;
    try {
      await withinLimit(deleting.limiter, undefined, async (abortSignal) => {
        left = await requestDeletion(left, abortSignal);
        if (left.length > 0) throw new Error(`${left[0]} was not deleted`);
      });
      return left;
    } catch (error) {
      if (left.length < keys.length) return left;
      if (!isPassing((error as Error).cause)) throw error;
    }
    await ping();
    return deleteOneByOne(keys);
  };
  const deleteOneByOne = async (keys: readonly string[]): Promise<readonly string[]> => {
    const failed: string[] = [];
    for (const [index, key] of keys.entries()) {
      const { release } = await deleting.limiter.acquire();
      const left = await requestDeletion([key], AbortSignal.timeout(silenceMs)).catch(() => [key]);
      release(left.length === 0 ? 'succeeded' : 'failed');
      failed.push(...left);
      if (failed.length === index + 1 && failed.length === failedInRow) return keys;
    }
    return failed;
  };

  return {
    limiters: { reading: reading.limiter, writing: writing.limiter, deleting: deleting.limiter },

    get firstByteMs() {
      return firstByte.ms;
    },

    put: (key, pieces, signal) => {
      const digest = isSigned ? sha256(pieces) : 'UNSIGNED-PAYLOAD';
      const ContentLength = pieces.reduce((sum, piece) => sum + piece.length, 0);
      return withinLimit(writing.limiter, signal, async (abortSignal) => {
        const [only, ...more] = pieces;
        const Body = only && more.length === 0 ? only : Readable.from(pieces);
        const command = new PutObjectCommand({ Bucket, Key: key, Body, ContentLength });
        withBodyDigest(command, digest);
        await writing.client.send(command, { abortSignal });
      });
    },

    read: (key, { offset, length }, signal) =>
      withinLimit(reading.limiter, signal, async (abortSignal) => {
        const Range = `bytes=${offset}-${offset + length - 1}`;
        const askedAt = performance.now();
        const response = await reading.client.send(new GetObjectCommand({ Bucket, Key: key, Range }), { abortSignal });
        firstByte.record(performance.now() - askedAt);
        if (!(response.Body instanceof Readable)) throw new Error('the S3 client returned no stream');
        return gather(response.Body, length);
      }),

    async delete(keys) {
      const failed: string[] = [];
      for (let from = 0; from < keys.length; from += deletedAtOnce) {
        const some = keys.slice(from, from + deletedAtOnce);
        const left = await deleteSome(some);
        failed.push(...left);
        // There is no point in trying the others now.
        if (left.length === some.length && left.length >= failedInRow) failed.push(...keys.slice(from + deletedAtOnce));
        if (failed.length >= keys.length) break;
      }
      return failed;
    },

    ping,

    close() {
      for (const { client } of [reading, writing, deleting]) client.destroy();
    },
  };
}

async function gather(body: Readable, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(length);
  let fill = 0;
  for await (const piece of body as AsyncIterable<Buffer>) {
    if (fill + piece.length > length) throw new Error('the store returned more than was requested');
    fill += piece.copy(bytes, fill);
    discardBuffer(piece);
  }
  // An aborted body has already failed above, so here the object itself ends.
  if (fill < length) throw new ExchangeError('damaged', undefined, { cause: new Error('an object ends early') });
  return bytes;
}

/**
 * A signature that covers the body protects a chunk on its way to a store that is reached over a network without TLS.
 * TLS also protects it, and so does staying on the same machine, and every segment carries its tag. In those cases the
 * hash is not needed, which costs both ends as much as everything else together.
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

/** How long a time counts: no longer than twice this. */
const windowMs = 5_000;

/**
 * The time that the store takes to the first byte of a read: the shortest of the last seconds. Longer ones were spent
 * waiting for other reads, in the store or on this thread, which more reads at once would only lengthen.
 */
export class FirstByte {
  #shortest = Number.POSITIVE_INFINITY;
  #shortestBefore = Number.POSITIVE_INFINITY;
  #windowBegan = performance.now();

  /** 0 until the first is known. */
  get ms(): number {
    const ms = Math.min(this.#shortest, this.#shortestBefore);
    return Number.isFinite(ms) ? ms : 0;
  }

  record(ms: number): void {
    const now = performance.now();
    if (now - this.#windowBegan > windowMs) {
      this.#windowBegan = now;
      this.#shortestBefore = this.#shortest;
      this.#shortest = Number.POSITIVE_INFINITY;
    }
    this.#shortest = Math.min(this.#shortest, ms);
  }
}
