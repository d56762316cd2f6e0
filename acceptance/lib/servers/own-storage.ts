import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { createBucket, deleteBucket } from '../../../tools/demo/bucket.ts';
import { demoEnvironment } from '../../../tools/demo/environment.ts';
import { adminJson } from './admin.ts';
import { type Inside, objectKeys, openPool } from './exchange-internals.ts';

/** The database and the bucket of a test's own Waybill, on the demo's engines or on others. */
export interface OwnStorage extends AsyncDisposable, Required<Inside> {
  readonly databaseUrl: string;
  readonly bucket: string;
  /** The settings with which a process uses them. */
  readonly settings: Record<string, string>;
}

export interface OwnStorageOptions {
  /** A PostgreSQL server other than the demo's. */
  readonly databaseServer?: string | undefined;
  /** The other settings that the checker needs. */
  readonly settings?: Record<string, string>;
}

export async function ownStorage({
  databaseServer = demoEnvironment()['WAYBILL_DATABASE_URL'] ?? '',
  settings: others = {},
}: OwnStorageOptions = {}): Promise<OwnStorage> {
  const url = new URL(databaseServer);
  const name = `waybill_own_${randomBytes(6).toString('hex')}`;
  await onServer(databaseServer, `create database ${name}`);
  url.pathname = `/${name}`;
  // It also needs its own bucket: to the demo's checker, additional objects in the demo's bucket would belong to no
  // file.
  const bucket = name.replaceAll('_', '-');
  await createBucket(bucket);
  const settings = { WAYBILL_DATABASE_URL: url.href, WAYBILL_S3_BUCKET: bucket };
  // Idle connections close soon, because a restore waits until no one else is connected.
  const pool = openPool({ connectionString: url.href, max: 2, idleTimeoutMillis: 1_000 });
  const query = async <Row>(sql: string, values: unknown[] = []) => (await pool.query(sql, values)).rows as Row[];

  return {
    databaseUrl: url.href,
    bucket,
    settings,
    query,
    objectKeys: (prefix) => objectKeys(prefix, bucket),
    sweep: () => adminJson(['sweep', '--json'], '', { ...settings, ...others }),
    async advance(seconds) {
      await query(`update messages set due_at = due_at - make_interval(secs => ${seconds}) where state = 'waiting'`);
      await query(
        `update webhook_deliveries set due_at = due_at - make_interval(secs => ${seconds}) where state = 'waiting'`,
      );
      await query(`update webhooks set lease_until = lease_until - make_interval(secs => ${seconds})`);
      await query(`update uploads set due_at = due_at - make_interval(secs => ${seconds})`);
      await query(`update files set lease_until = lease_until - make_interval(secs => ${seconds})`);
      await query(`update graphile_worker._private_jobs set run_at = run_at - make_interval(secs => ${seconds})`);
    },
    async [Symbol.asyncDispose]() {
      await pool.end();
      await onServer(databaseServer, `drop database ${name} with (force)`);
      await deleteBucket(bucket);
    },
  };
}

/** On its own connection, because a test's own engine may have been restarted in the meantime. */
async function onServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  // A lost connection fails the query in progress; without a listener it would also end the process.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
