import type { Readable } from 'node:stream';
import {
  CopyObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  NoSuchKey,
  NotFound,
  PutObjectCommand,
  paginateListObjectsV2,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import type { BackupPlace, BucketInventory, NeededObject } from '../../domain/backup/backup-place.ts';
import { ExchangeError, MissingObject } from '../../domain/exchange-error.ts';
import { openClient, type S3Options } from './client.ts';
import { toUnavailable } from './refusal.ts';

/** No one waits for a response, and a copy within the store may take its time. */
const patience = { maxSockets: 32, silenceMs: 30_000, maxAttempts: 5 };
const partBytes = 32 * 1024 ** 2;
const removedAtOnce = 50;

/** A prefix in another bucket of the same S3 server, which copies objects between the two by itself. */
export function s3BackupPlace(
  options: S3Options & { readonly place: { readonly bucket: string; readonly prefix: string } },
): BackupPlace {
  const client = openClient(options, patience);
  const { bucket: Bucket, prefix } = options.place;
  /** A file is one object, or several if it is large: `name`, `name.00000001`, `name.00000002` and so on. */
  const partKey = (name: string, number: number) =>
    `${prefix}${name}${number === 0 ? '' : `.${number.toString().padStart(8, '0')}`}`;
  const copy = async (from: string, to: { Bucket: string; Key: string }, abortSignal: AbortSignal) => {
    await client.send(new CopyObjectCommand({ ...to, CopySource: from }), { abortSignal }).catch(explain);
  };
  const remove = async (keys: readonly string[]) => {
    for (let from = 0; from < keys.length; from += removedAtOnce) {
      const Objects = keys.slice(from, from + removedAtOnce).map((Key) => ({ Key }));
      const command = new DeleteObjectsCommand({ Bucket, Delete: { Quiet: true, Objects } });
      const { Errors: [failed] = [] } = await client.send(command).catch(explain);
      if (failed)
        throw new ExchangeError('unavailable', undefined, {
          cause: new Error(`${failed.Key}: ${failed.Code}`),
          engine: 's3',
        });
    }
  };
  return {
    async folders(name) {
      const found: string[] = [];
      const Prefix = `${prefix}${name}/`;
      const pages = paginateListObjectsV2({ client }, { Bucket, Prefix, Delimiter: '/' });
      for await (const { CommonPrefixes = [] } of explained(pages)) {
        for (const { Prefix: path = '' } of CommonPrefixes) found.push(path.slice(Prefix.length, -1));
      }
      return found;
    },
    async write(name, content) {
      let number = 0;
      for await (const Body of parts(content)) {
        await client.send(new PutObjectCommand({ Bucket, Key: partKey(name, number), Body })).catch(explain);
        number += 1;
      }
    },
    async *read(name) {
      for (let number = 0; ; number += 1) {
        const part = new GetObjectCommand({ Bucket, Key: partKey(name, number) });
        const response = await client.send(part).catch((error: unknown) => {
          if (number === 0 || !(error instanceof NoSuchKey)) explain(error);
        });
        if (!response) return;
        yield* response.Body as Readable as AsyncIterable<Buffer>;
      }
    },
    async remove(name) {
      const first = partKey(name, 0);
      const pages = paginateListObjectsV2({ client }, { Bucket, Prefix: first });
      for await (const { Contents = [] } of explained(pages)) {
        const keys = Contents.map(({ Key }) => Key ?? '');
        await remove(keys.filter((key) => key === first || /^\.\d{8}$/.test(key.slice(first.length))));
      }
    },
    removeObjects: (keys) => remove(keys.map((key) => `${prefix}objects/${key}`)),
    objects: {
      async read(key, { offset, length }, abortSignal) {
        const Range = `bytes=${offset}-${offset + length - 1}`;
        const get = new GetObjectCommand({ Bucket, Key: `${prefix}objects/${key}`, Range });
        const { Body } = await client.send(get, { abortSignal }).catch(explain);
        const bytes = Buffer.concat(await (Body as Readable).toArray());
        if (bytes.length < length) throw new ExchangeError('damaged');
        return bytes;
      },
    },
    has: ({ key, bytes }) => isThere(client, Bucket, `${prefix}objects/${key}`, bytes),
    take: ({ key }, signal) => copy(`${options.bucket}/${key}`, { Bucket, Key: `${prefix}objects/${key}` }, signal),
    give: ({ key }, signal) =>
      copy(`${Bucket}/${encodeURI(prefix)}objects/${key}`, { Bucket: options.bucket, Key: key }, signal),
    close: () => client.destroy(),
  };
}

/** At least one, which may be empty. */
async function* parts(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, void> {
  let pieces: Buffer[] = [];
  let bytes = 0;
  let number = 0;
  for await (const piece of content) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes < partBytes) continue;
    yield Buffer.concat(pieces);
    number += 1;
    pieces = [];
    bytes = 0;
  }
  if (bytes > 0 || number === 0) yield Buffer.concat(pieces);
}

export function s3BucketInventory(options: S3Options): BucketInventory & { close(): void } {
  const client = openClient(options, patience);
  const { bucket: Bucket } = options;
  return {
    async isEmpty() {
      const { KeyCount } = await client.send(new ListObjectsV2Command({ Bucket, MaxKeys: 1 })).catch(explain);
      return KeyCount === 0;
    },
    has: ({ key, bytes }) => isThere(client, Bucket, key, bytes),
    async *keys() {
      for await (const { Contents = [] } of explained(paginateListObjectsV2({ client }, { Bucket }))) {
        for (const { Key } of Contents) if (Key !== undefined) yield Key;
      }
    },
    close: () => client.destroy(),
  };
}

async function isThere(client: S3Client, Bucket: string, Key: string, bytes: NeededObject['bytes']): Promise<boolean> {
  try {
    const { ContentLength = 0 } = await client.send(new HeadObjectCommand({ Bucket, Key }));
    return ContentLength >= bytes;
  } catch (error) {
    if (error instanceof NotFound || error instanceof NoSuchKey) return false;
    return explain(error);
  }
}

async function* explained<Page>(pages: AsyncIterable<Page>): AsyncGenerator<Page, void, void> {
  try {
    yield* pages;
  } catch (error) {
    explain(error);
  }
}

function explain(error: unknown): never {
  if (!(error instanceof S3ServiceException)) throw error;
  if (error.name === 'NoSuchKey') throw new MissingObject({ cause: error });
  if (error.name === 'InvalidRange') throw new ExchangeError('damaged', undefined, { cause: error, engine: 's3' });
  if (error.name === 'NoSuchBucket') {
    throw new ExchangeError('not_found', 'There is no such bucket. Create it first.', { cause: error });
  }
  throw toUnavailable(error);
}
