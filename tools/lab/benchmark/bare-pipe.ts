/**
 * The yardstick for transfers: a Node server that only forwards bytes between HTTP and objects, with the object size
 * and the signature that the service uses. A PUT below /sealed/ also hashes and encrypts every byte: what an upload cannot
 * do without. `node bare-pipe.ts BUCKET` prints its address; PUT and GET any path.
 */
import { createCipheriv, createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { engineS3 } from '../../demo/bucket.ts';

const objectBytes = 8 * 1024 ** 2;
const putsInFlight = 4;
const [Bucket] = process.argv.slice(2);
const client = engineS3();
const sizes = new Map<string, number[]>();

const server = createServer({ highWaterMark: 64 * 1024 }, (request, response) => {
  const reply = request.method === 'PUT' ? storeBody(request, response) : sendObject(request, response);
  reply.catch((error: unknown) => response.destroy(error as Error));
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
process.on('SIGTERM', () => process.exit(0));

async function storeBody(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = request.url as string;
  const stored: number[] = [];
  const inFlight = new Set<Promise<unknown>>();
  let pieces: Buffer[] = [];
  let fill = 0;
  const store = async () => {
    const put = client
      .send(toUnsignedPut(toKey(path, stored.length), pieces, fill))
      .finally(() => inFlight.delete(put));
    inFlight.add(put);
    stored.push(fill);
    [pieces, fill] = [[], 0];
    while (inFlight.size >= putsInFlight) await Promise.race(inFlight);
  };
  const seal = path.startsWith('/sealed/') ? createSealer() : (bytes: Buffer) => bytes;
  for await (const arrived of request as AsyncIterable<Buffer>) {
    const bytes = seal(arrived);
    const rest = objectBytes - fill;
    pieces.push(bytes.subarray(0, rest));
    fill += Math.min(rest, bytes.length);
    if (fill === objectBytes) await store();
    if (bytes.length > rest) {
      pieces.push(bytes.subarray(rest));
      fill += bytes.length - rest;
    }
  }
  if (fill > 0) await store();
  await Promise.all(inFlight);
  sizes.set(path, stored);
  response.end();
}

function createSealer(): (bytes: Buffer) => Buffer {
  const hash = createHash('sha256');
  const key = randomBytes(32);
  let checksum = 0;
  return (bytes) => {
    hash.update(bytes);
    checksum = crc32(bytes, checksum);
    const cipher = createCipheriv('aes-256-gcm', key, randomBytes(12));
    const sealed = cipher.update(bytes);
    cipher.final();
    cipher.getAuthTag();
    return sealed;
  };
}

async function sendObject(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = request.url as string;
  const stored = sizes.get(path) ?? [];
  response.setHeader(
    'content-length',
    stored.reduce((sum, size) => sum + size, 0),
  );
  const ask = (object: number) =>
    object < stored.length ? client.send(new GetObjectCommand({ Bucket, Key: toKey(path, object) })) : undefined;
  // The next object is fetched while one is being forwarded.
  let next = ask(0);
  for (let object = 0; next; object++) {
    const { Body } = await next;
    next = ask(object + 1);
    for await (const bytes of Body as AsyncIterable<Buffer>) if (!response.write(bytes)) await once(response, 'drain');
  }
  response.end();
}

function toKey(path: string, object: number): string {
  return `pipe${path}/${object}`;
}

function toUnsignedPut(Key: string, pieces: Buffer[], ContentLength: number): PutObjectCommand {
  const command = new PutObjectCommand({ Bucket, Key, Body: Readable.from(pieces), ContentLength });
  command.middlewareStack.add(
    (next) => (args) => {
      (args.request as { headers: Record<string, string> }).headers['x-amz-content-sha256'] = 'UNSIGNED-PAYLOAD';
      return next(args);
    },
    { step: 'build' },
  );
  return command;
}
