import { createHash } from 'node:crypto';
import { DeleteObjectsCommand, S3Client } from '@aws-sdk/client-s3';
import { nameRefusals } from './refusal.ts';

export interface S3Options {
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

const ignore = () => undefined;
const silent = { trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore };

export function openClient(
  options: S3Options,
  {
    silenceMs,
    maxSockets,
    maxAttempts = 1,
    clockOffsetMs = 0,
  }: {
    readonly silenceMs: number;
    readonly maxSockets: number;
    readonly maxAttempts?: number;
    readonly clockOffsetMs?: number;
  },
): S3Client {
  const client = new S3Client({
    endpoint: options.endpoint,
    region: options.region,
    credentials: { accessKeyId: options.accessKeyId, secretAccessKey: options.secretAccessKey },
    forcePathStyle: true,
    // The newer default adds trailing checksums, which Ceph RGW rejects. Every segment carries its own tag.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // With `Expect: 100-continue`, the client would open a connection for every object.
    expectContinueHeader: false,
    // Unless more are wanted, retries are made by the caller, within one deadline, and the caller reports failures.
    maxAttempts,
    systemClockOffset: clockOffsetMs,
    logger: silent,
    requestHandler: {
      connectionTimeout: silenceMs,
      socketTimeout: silenceMs,
      httpAgent: { keepAlive: true, maxSockets },
      httpsAgent: { keepAlive: true, maxSockets },
    },
  });
  nameRefusals(client, silenceMs);
  // The newer checksum, which the client sends by default, does not satisfy every server: Swift insists on this one.
  client.middlewareStack.add(
    (next, { commandName }) =>
      (args) => {
        const { body, headers } = args.request as { body: string; headers: Record<string, string> };
        if (commandName === DeleteObjectsCommand.name) headers['content-md5'] = md5(body);
        return next(args);
      },
    { step: 'build', name: 'contentMd5' },
  );
  return client;
}

const md5 = (body: string) => createHash('md5').update(body).digest('base64');
