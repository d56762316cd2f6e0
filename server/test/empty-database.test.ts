import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatCheckpoint } from '@waybill/evidence';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Assembly, assemble } from '../src/assemble/assemble.ts';
import { toFailure } from '../src/cli/failure.ts';
import { readConfig } from '../src/config/config.ts';
import { waitForEngines } from '../src/services/wait-for-engines.ts';
import { createEmptyDatabase, openTestPool } from './database.ts';
import { engineAddresses } from './engine-addresses.ts';
import { createEmptyBucket } from './object-store.ts';
import { silentLog } from './silent-log.ts';

const { s3 } = engineAddresses;
let own: AsyncDisposableStack;
let url: string;
let bucket: Awaited<ReturnType<typeof createEmptyBucket>>;
let masterKeys: string;
beforeEach(async () => {
  own = new AsyncDisposableStack();
  const folder = own.adopt(mkdtempSync(join(tmpdir(), 'waybill-empty-')), (path) => rmSync(path, { recursive: true }));
  masterKeys = join(folder, 'master-keys');
  writeFileSync(masterKeys, `1:${randomBytes(32).toString('base64')}\n`, { mode: 0o600 });
  ({ url } = own.use(await createEmptyDatabase()));
  bucket = own.use(await createEmptyBucket());
});
afterEach(() => own.disposeAsync());

function open(role: 'serve' | 'work'): Assembly {
  const settings = {
    WAYBILL_PUBLIC_URL: 'https://files.example.org',
    WAYBILL_DATABASE_URL: url,
    WAYBILL_REDIS_URL: engineAddresses.valkey,
    WAYBILL_S3_ENDPOINT: s3.endpoint,
    WAYBILL_S3_BUCKET: bucket.name,
    WAYBILL_S3_ACCESS_KEY_ID: s3.accessKeyId,
    WAYBILL_S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
    WAYBILL_SMTP_URL: engineAddresses.smtp,
    WAYBILL_MAIL_FROM: 'waybill@files.example.org',
    WAYBILL_SCAN: 'off',
    WAYBILL_KEY_PEPPER: Buffer.alloc(32, 7).toString('base64'),
    WAYBILL_MASTER_KEY_FILE: masterKeys,
  };
  return own.adopt(assemble(readConfig(settings), silentLog, role), (engines) => engines.close());
}

async function countTables(): Promise<number> {
  const pool = openTestPool(url);
  const { rowCount } = await pool.query(
    "select from pg_tables where schemaname not in ('pg_catalog', 'information_schema')",
  );
  await pool.end();
  return rowCount ?? 0;
}

/** Puts the checkpoint of an epoch of another installation into the bucket. */
const publish = (epoch: number) => {
  const checkpoint = { origin: `files.example.org/log/${epoch}`, size: 1, root: randomBytes(32) };
  return bucket.put(`log/${epoch}/checkpoint`, Buffer.from(`${formatCheckpoint(checkpoint)}\n`));
};

test.each(['serve', 'work'] as const)(
  'the role %s creates no schema in an empty database beside a bucket in use',
  async (role) => {
    await publish(1);
    // An epoch that never published anything leaves a gap.
    await publish(3);
    const error = await waitForEngines(open(role), { failed: () => undefined }).catch((refused: unknown) => refused);
    expect(toFailure(error)).toMatchObject({
      exitCode: 78,
      message: expect.stringContaining(
        `The database is empty, but the bucket "${bucket.name}" is in use: it has an evidence log of 3 epochs. Correct WAYBILL_DATABASE_URL, or restore a backup`,
      ),
    });
    expect(await countTables()).toBe(0);
  },
);

test('with an unused bucket, both processes of a first start come up, and again once the log is in the bucket', async () => {
  const roles = ['serve', 'work'] as const;
  const start = () => Promise.all(roles.map((role) => waitForEngines(open(role), { failed: () => undefined })));
  await start();
  await publish(1);
  await start();
  expect(await countTables()).toBeGreaterThan(0);
});
