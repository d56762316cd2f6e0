import { setTimeout as pause } from 'node:timers/promises';
import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient, sql } from 'kysely';
import pg from 'pg';
import { ConcurrencyLimiter } from '../../domain/flow/concurrency-limiter.ts';
import type { DB } from './schema.ts';

export type Database = Kysely<DB>;

/** A tag that runs the statement of a template. */
type Run<Result> = (template: TemplateStringsArray, ...values: readonly unknown[]) => Promise<Result>;

/** Returns tags that run the statement of a template, for what most operations need of its result. */
export function bindStatements(db: Database) {
  const readRows = async <Row>(...[template, ...values]: Parameters<Run<Row>>): Promise<Row[]> =>
    (await sql<Row>(template, ...values).execute(db)).rows;
  const readRow = async <Row>(...given: Parameters<Run<Row>>): Promise<Row | undefined> =>
    (await readRows<Row>(...given))[0];
  const countChanges: Run<number> = async (template, ...values) =>
    Number((await sql(template, ...values).execute(db)).numAffectedRows ?? 0);
  const changeOne: Run<boolean> = async (...given) => (await countChanges(...given)) === 1;
  const run: Run<void> = async (...given) => void (await readRows(...given));
  return { readRows, readRow, countChanges, changeOne, run };
}

/** bigint as a number: nothing we count comes near 2^53, and the driver would return text. */
const types = new pg.TypeOverrides();
types.setTypeParser(pg.types.builtins.INT8, Number);

/** How long PostgreSQL may keep a caller waiting. */
export interface Deadlines {
  /**
   * For a new connection, or for one from the pool while PostgreSQL does not respond. While it does, twice as
   * long.
   */
  readonly connectMs: number;
  /** For a statement, enforced by the server, which cancels it; the connection stays usable. 0: no limit. */
  readonly statementMs: number;
  /**
   * For a response, enforced by us: it also ends the wait when the server is frozen or the network loses packets. 0: no
   * limit.
   */
  readonly responseMs: number;
}

/**
 * A request gets its response within 12 seconds whatever happens: it waits to be authenticated (2 s, see batch-calls.ts), then
 * for a connection, its settings (1 s) and a response, or after a failure for a second attempt at a connection, to
 * clean up.
 */
export const requestDeadlines: Deadlines = { connectMs: 3_000, statementMs: 5_000, responseMs: 5_500 };

/** No user waits for a job, and a sweep has more to do in one statement than a request has. */
export const jobDeadlines: Deadlines = { connectMs: 10_000, statementMs: 30_000, responseMs: 35_000 };

/** The duration of a migration depends on the size of its tables, and it waits for another process that migrates. */
export const migrationDeadlines: Deadlines = { connectMs: 10_000, statementMs: 0, responseMs: 0 };

/**
 * PostgreSQL did not respond in time, or so many callers are already waiting for it that another one would not be
 * served.
 */
export class OutOfReachError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'OutOfReachError';
  }
}

/**
 * The server only copies another one. For a moment after a failover, a proxy may still lead there: what was acknowledged
 * may be missing from what it shows, and it accepts no change.
 */
export class StandbyError extends OutOfReachError {
  constructor() {
    super('this PostgreSQL is a standby server');
    this.name = 'StandbyError';
  }
}

/** A restore of a backup has begun, and its last step is not done. */
export class RestoringError extends OutOfReachError {
  constructor() {
    super(
      'The database is being restored from a backup. If that was interrupted, run the same `waybilld admin restore` again to complete it.',
    );
    this.name = 'RestoringError';
  }
}

/** Marks a database that is being restored. It is not part of the schema, which the restore replaces. */
export const restoreSchema = 'waybill_restore';

const idleInTransactionMs = 30_000;
/** For applying the settings of a new connection. */
export const settingMs = 1_000;

/** Callers that may wait for each connection of the pool. */
const waitingPerConnection = 200;

export interface PoolOptions {
  readonly url: string;
  readonly connections: number;
  readonly deadlines: Deadlines;
  readonly onError: (error: Error) => void;
  /** Shown by PostgreSQL in its list of sessions. */
  readonly name?: string;
  /**
   * Only for a restore: PostgreSQL's process ids of our own sessions are added to it. All others are refused while a
   * database is being restored.
   */
  readonly ownSessions?: Set<number> | undefined;
}

export function openPool(options: PoolOptions): pg.Pool {
  const { url, connections, deadlines, onError, name = 'waybill' } = options;
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    types,
    connectionTimeoutMillis: deadlines.connectMs,
    query_timeout: deadlines.responseMs,
    keepAlive: true,
    application_name: name,
    verify: (client, done) => setUp(client, options, done),
  });
  // A backend that disappears emits an error on its client; without a listener, that would end the process.
  pool.on('error', onError);
  pool.on('connect', (client) => {
    client.on('error', onError);
    disconnectAtDeadline(client);
  });
  return pool;
}

/**
 * Timeouts are set by a statement, because a connection pooler such as PgBouncer rejects or drops them as connection
 * parameters. Our statements read few rows: compiling one, if its estimate is high, takes longer than running it.
 */
function setUp(client: pg.ClientBase, options: PoolOptions, done: (failure?: Error) => void): void {
  const { ownSessions } = options;
  const { connectMs, statementMs } = options.deadlines;
  const query = {
    text: `set jit = off; set statement_timeout = ${statementMs}; set idle_in_transaction_session_timeout = ${idleInTransactionMs};
      select pg_is_in_recovery() as standby, pg_backend_pid() as pid,
        to_regnamespace('${restoreSchema}') is not null as restoring`,
    query_timeout: Math.min(connectMs, settingMs),
  };
  // The driver returns one result for each statement.
  client.query(query, (cause?: Error, results?: unknown) => {
    if (cause) return done(new OutOfReachError('PostgreSQL did not take a new connection', { cause }));
    const [row] =
      (results as pg.QueryResult<{ standby: boolean; pid: number; restoring: boolean }>[]).at(-1)?.rows ?? [];
    if (row) ownSessions?.add(row.pid);
    if (row?.restoring && !ownSessions) return done(new RestoringError());
    return done(row?.standby ? new StandbyError() : undefined);
  });
}

/**
 * At its deadline, the driver stops waiting but keeps the connection, on which the next query would wait for the same
 * response. Once the connection is closed, a transaction's rollback fails at once, and the pool opens another
 * connection.
 */
function disconnectAtDeadline(client: pg.PoolClient): void {
  const query = client.query.bind(client) as (...parameters: unknown[]) => unknown;
  client.query = ((...parameters: unknown[]) => {
    const response = query(...parameters);
    if (!(response instanceof Promise)) return response;
    return response.catch((error: unknown) => {
      if (!(error instanceof Error) || error.message !== 'Query read timeout') throw error;
      void (client as unknown as pg.Client).end();
      throw new OutOfReachError('PostgreSQL did not respond in time', { cause: error });
    });
  }) as typeof client.query;
}

/**
 * Ends the connections that are not in use, and waits for the others, but not forever: a connection that is never
 * released must not keep a process from ending. Returns how many were still in use.
 */
export async function closePool(pool: pg.Pool, withinMs = 5_000): Promise<number> {
  await Promise.race([pool.end(), pause(withinMs, undefined, { ref: false })]);
  return pool.totalCount;
}

/** Called around every statement, with its text, in which a parameter is only `$1`. */
export type AroundStatement = <Result>(text: string, call: () => Result) => Result;

export interface DatabaseOptions {
  /** Limits how many callers have a connection; the others wait. */
  readonly limiter?: ConcurrencyLimiter;
  readonly around?: AroundStatement | undefined;
}

export function openDatabase(pool: pg.Pool, options: DatabaseOptions = {}): Database {
  const { limiter = limitConnections(pool), around = (_text, call) => call() } = options;
  return new Kysely<DB>({ dialect: new PostgresDialect({ pool: preparing(pool, limiter, around) }) });
}

export function limitConnections(pool: pg.Pool): ConcurrencyLimiter {
  const { max, connectionTimeoutMillis: silenceMs = 0 } = pool.options;
  return new ConcurrencyLimiter({
    limit: max,
    silenceMs,
    waitMs: 2 * silenceMs,
    maxWaiting: max * waitingPerConnection,
    engine: 'postgres',
  });
}

/**
 * Prepares every statement once per connection, so that PostgreSQL plans it once and not for each request. This
 * requires a small number of different statement texts: a list is always one parameter, however long it is. Values that
 * are the same in every call, such as the size of a batch, are part of the text: the plan for a `limit` that is a
 * parameter reads a tenth of the table, whatever the actual limit is.
 */
function preparing(pool: pg.Pool, limiter: ConcurrencyLimiter, around: AroundStatement): PostgresPool {
  const names = new Map<string, string>();
  const readName = (text: string) => {
    const name = names.get(text) ?? `waybill_${names.size}`;
    names.set(text, name);
    return name;
  };
  return {
    async connect() {
      const slot = await limiter.acquire();
      const client = await pool.connect().catch((error: unknown) => {
        slot.release('failed');
        throw error;
      });
      let outcome: 'succeeded' | 'failed' = 'failed';
      return {
        async query(text: string, values: readonly unknown[]) {
          const result = await around(text, () =>
            client.query(values.length === 0 ? text : { name: readName(text), text, values: [...values] }),
          );
          outcome = 'succeeded';
          return result;
        },
        release(destroy?: boolean) {
          client.release(destroy);
          slot.release(outcome);
        },
      } as unknown as PostgresPoolClient;
    },
    end: () => pool.end(),
    options: pool.options,
  };
}
