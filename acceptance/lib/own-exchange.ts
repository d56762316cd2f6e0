import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { createBucket, deleteBucket } from '../../tools/demo/bucket.ts';
import { demoEnvironment } from '../../tools/demo/environment.ts';
import { createAccount } from './accounts.ts';
import { type AdminResult, admin, adminJson } from './admin.ts';
import { Client } from './client.ts';
import { type Inside, objectKeys, openPool } from './inside.ts';
import { type OwnProcess, type OwnServe, ownServe, ownWorker } from './own-serve.ts';

/**
 * A Waybill with a database and a bucket of its own, on the demo's engines or on others. Its jobs are done by its own
 * workers only, which can be made to fail, and its clock can be moved.
 */
export interface OwnExchange extends AsyncDisposable, Inside {
  /** Of its first `serve` process. */
  readonly baseUrl: string;
  readonly databaseUrl: string;
  readonly bucket: string;
  readonly first: OwnServe;
  /** Every process that was ever started, for whoever judges what they said and how they ended. */
  readonly processes: readonly OwnProcess[];
  client(label: string): Promise<Client>;
  serve(overrides?: Record<string, string>): Promise<OwnServe>;
  work(overrides?: Record<string, string>): Promise<OwnProcess>;
  /** Ends the workers that were started and not yet stopped. */
  rest(): Promise<void>;
  /** An administrator's command. */
  admin(...command: string[]): Promise<AdminResult>;
  advance(seconds: number): Promise<void>;
}

export interface OwnExchangeOptions {
  /** For every process: addresses of engines, limits. */
  readonly settings?: Record<string, string>;
  /** Another PostgreSQL server than the demo's. */
  readonly databaseServer?: string;
  /** A proxy in front of it, for all but the judge. */
  readonly through?: (url: string) => string;
  /** Fills the database and the bucket, both still empty, before the first process starts. */
  readonly fill?: (databaseUrl: string, bucket: string) => Promise<void>;
}

export async function ownExchange({
  settings = {},
  databaseServer = demoEnvironment()['WAYBILL_DATABASE_URL'] ?? '',
  through = (url) => url,
  fill,
}: OwnExchangeOptions = {}): Promise<OwnExchange> {
  const url = new URL(databaseServer);
  const name = `waybill_own_${randomBytes(6).toString('hex')}`;
  await onServer(databaseServer, `create database ${name}`);
  url.pathname = `/${name}`;
  // A bucket too: objects in the demo's would be nobody's to whoever judges that one.
  const bucket = name.replaceAll('_', '-');
  await createBucket(bucket);
  await fill?.(url.href, bucket);
  const own = { WAYBILL_DATABASE_URL: through(url.href), WAYBILL_S3_BUCKET: bucket, ...settings };
  // An administrator's commands do not go through the faults: what they prepare and tidy up is not what is tested.
  const direct = {
    WAYBILL_DATABASE_URL: url.href,
    WAYBILL_S3_BUCKET: bucket,
    ...(settings['WAYBILL_SCAN'] === undefined ? {} : { WAYBILL_SCAN: settings['WAYBILL_SCAN'] }),
  };
  const first = await ownServe(own);
  const pool = openPool({ connectionString: url.href, max: 2 });
  const processes: OwnProcess[] = [first];
  const workers: OwnProcess[] = [];
  const query = async <Row>(sql: string, values: unknown[] = []) => (await pool.query(sql, values)).rows as Row[];

  return {
    baseUrl: first.baseUrl,
    databaseUrl: url.href,
    bucket,
    first,
    processes,
    query,
    objectKeys: (prefix) => objectKeys(prefix, bucket),
    client: async (label) => new Client(await createAccount(label, undefined, direct), { baseUrl: first.baseUrl }),
    async serve(overrides = {}) {
      const serve = await ownServe({ ...own, ...overrides });
      processes.push(serve);
      return serve;
    },
    async work(overrides = {}) {
      const worker = await ownWorker({ ...own, ...overrides });
      processes.push(worker);
      workers.push(worker);
      return worker;
    },
    rest: async () => {
      await Promise.all(workers.splice(0).map((worker) => worker.stop()));
    },
    admin: (...command) => admin(command, '', direct),
    sweep: () => adminJson(['sweep', '--json'], '', direct),
    async advance(seconds) {
      await query(`update messages set due_at = due_at - make_interval(secs => ${seconds}) where state = 'waiting'`);
      await query(`update uploads set due_at = due_at - make_interval(secs => ${seconds})`);
      await query(`update files set lease_until = lease_until - make_interval(secs => ${seconds})`);
      await query(`update graphile_worker._private_jobs set run_at = run_at - make_interval(secs => ${seconds})`);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(processes.map((process) => process.stop()));
      await pool.end();
      await onServer(databaseServer, `drop database ${name} with (force)`);
      await deleteBucket(bucket);
    },
  };
}

/** On a connection of its own, for an engine of a test's own may have been restarted meanwhile. */
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
