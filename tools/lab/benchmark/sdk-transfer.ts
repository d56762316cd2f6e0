/**
 * The yardstick: the AWS SDK, directly to the bucket. `node sdk-transfer.ts put|parts|get FILE BUCKET` prints seconds.
 */
import { createReadStream, statSync } from 'node:fs';
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { engineS3 } from '../../demo/bucket.ts';

const [operation, file = '', Bucket] = process.argv.slice(2);
const client = engineS3();
const target = { Bucket, Key: 'benchmark' };

const started = performance.now();
if (operation === 'put') {
  const body = { Body: createReadStream(file, { highWaterMark: 1024 * 1024 }), ContentLength: statSync(file).size };
  await client.send(new PutObjectCommand({ ...target, ...body }));
} else if (operation === 'parts') {
  const params = { ...target, Body: createReadStream(file, { highWaterMark: 1024 * 1024 }) };
  await new Upload({ client, params, partSize: 8 * 1024 * 1024, queueSize: 4 }).done();
} else {
  const { Body } = await client.send(new GetObjectCommand(target));
  for await (const _bytes of Body as AsyncIterable<Buffer>);
}
process.stdout.write(`${(performance.now() - started) / 1000}\n`);
client.destroy();
