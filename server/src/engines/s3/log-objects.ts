import { Readable } from 'node:stream';
import { DeleteObjectsCommand, GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { ExchangeError, MissingObject } from '../../domain/exchange-error.ts';
import { ConcurrencyLimiter } from '../../domain/flow/concurrency-limiter.ts';
import type { LogObjects } from '../../domain/ports/log-objects.ts';
import { openClient, type S3Options } from './client.ts';
import { withinLimit } from './persist.ts';

export interface S3LogObjects extends LogObjects {
  readonly limiter: ConcurrencyLimiter;
  close(): void;
}

const silenceMs = 3_000;
/** Objects of a few kilobytes, with connections of their own, so that neither downloads nor readers of the log wait for the other. */
const atOnce = 16;
const limits = { limit: atOnce, silenceMs: 9_000, waitMs: 20_000, maxWaiting: 1_000, engine: 's3' } as const;
const deletedAtOnce = 50;
/** The only part of the bucket that this store reaches. */
const toKey = (name: string) => `log/${name}`;

export function s3LogObjects(options: S3Options): S3LogObjects {
  const client = openClient(options, { silenceMs, maxSockets: atOnce });
  const limiter = new ConcurrencyLimiter(limits);
  const { bucket: Bucket } = options;
  return {
    limiter,

    put: (name, bytes, signal) =>
      withinLimit(limiter, signal, async (abortSignal) => {
        await client.send(new PutObjectCommand({ Bucket, Key: toKey(name), Body: bytes }), { abortSignal });
      }),

    async read(name, maxBytes, signal) {
      try {
        return await withinLimit(limiter, signal, async (abortSignal) => {
          const { Body } = await client.send(new GetObjectCommand({ Bucket, Key: toKey(name) }), { abortSignal });
          if (!(Body instanceof Readable)) throw new Error('the S3 client returned no stream');
          return gather(Body, maxBytes);
        });
      } catch (error) {
        if (error instanceof MissingObject) return undefined;
        throw error;
      }
    },

    async delete(names, signal) {
      for (let from = 0; from < names.length; from += deletedAtOnce) {
        const Objects = names.slice(from, from + deletedAtOnce).map((name) => ({ Key: toKey(name) }));
        await withinLimit(limiter, signal, async (abortSignal) => {
          const command = new DeleteObjectsCommand({ Bucket, Delete: { Quiet: true, Objects } });
          const { Errors: [failed] = [] } = await client.send(command, { abortSignal });
          if (failed) throw new Error(`${failed.Key} was not deleted: ${failed.Code}`);
        });
      }
    },

    close: () => client.destroy(),
  };
}

async function gather(body: Readable, maxBytes: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of body as AsyncIterable<Buffer>) {
    length += piece.length;
    if (length > maxBytes) {
      body.destroy();
      throw new ExchangeError('damaged', undefined, { cause: new Error('an object of the log is too long') });
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
