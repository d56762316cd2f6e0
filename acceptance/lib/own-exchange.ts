import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { createBucket, deleteBucket } from '../../tools/demo/bucket.ts';
import { demoEnvironment } from '../../tools/demo/environment.ts';
import { createAccount } from './accounts.ts';
import { type AdminResult, admin, adminJson } from './admin.ts';
import { Client } from './client.ts';
import { openPool } from './inside.ts';
import { type OwnProcess, ownServe, ownWorker } from './own-serve.ts';

/**
 * A Waybill with a database and a bucket of its own on the demo's engines: its jobs are done by its own workers only, which can be
 * made to fail, and its clock can be moved.
 */
export interface OwnExchange extends AsyncDisposable {
  readonly baseUrl: string;
  readonly databaseUrl: string;
  readonly bucket: string;
  query<Row>(sql: string, values?: unknown[]): Promise<Row[]>;
  client(label: string): Promise<Client>;
  work(overrides?: Record<string, string>): Promise<OwnProcess>;
  /** Ends the workers that were started and not yet stopped. */
  rest(): Promise<void>;
  /** An administrator's command. */
  admin(...command: string[]): Promise<AdminResult>;
  sweep(): Promise<void>;
  /** Everything that waits for a time is that much nearer to it. */
  advance(seconds: number): Promise<void>;
}

export async function ownExchange(): Promise<OwnExchange> {
  const url = new URL(demoEnvironment()['WAYBILL_DATABASE_URL'] ?? '');
  const name = `waybill_own_${randomBytes(6).toString('hex')}`;
  const serverUrl = url.href;
  await asServer(serverUrl, `create database ${name}`);
  url.pathname = `/${name}`;
  // A bucket too: objects in the demo's would be nobody's to whoever judges that one.
  const bucket = name.replaceAll('_', '-');
  await createBucket(bucket);
  const own = { WAYBILL_DATABASE_URL: url.href, WAYBILL_S3_BUCKET: bucket };
  const serve = await ownServe(own);
  const pool = openPool({ connectionString: url.href, max: 2 });
  const workers: OwnProcess[] = [];
  const query = async <Row>(sql: string, values: unknown[] = []) => (await pool.query(sql, values)).rows as Row[];

  return {
    baseUrl: serve.baseUrl,
    databaseUrl: url.href,
    bucket,
    query,
    client: async (label) => new Client(await createAccount(label, undefined, own), { baseUrl: serve.baseUrl }),
    async work(overrides = {}) {
      const worker = await ownWorker({ ...own, ...overrides });
      workers.push(worker);
      return worker;
    },
    rest: async () => {
      await Promise.all(workers.splice(0).map((worker) => worker.stop()));
    },
    admin: (...command) => admin(command, '', own),
    sweep: () => adminJson(['sweep', '--json'], '', own),
    async advance(seconds) {
      await query(`update messages set due_at = due_at - make_interval(secs => ${seconds}) where state = 'waiting'`);
      await query(`update files set lease_until = lease_until - make_interval(secs => ${seconds})`);
      await query(`update graphile_worker._private_jobs set run_at = run_at - make_interval(secs => ${seconds})`);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([serve, ...workers].map((process) => process.stop()));
      await pool.end();
      await asServer(serverUrl, `drop database ${name} with (force)`);
      await deleteBucket(bucket);
    },
  };
}

/** Connected only for this statement. */
async function asServer(connectionString: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  // A lost connection fails the query in progress; without a listener it would also end the process.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
