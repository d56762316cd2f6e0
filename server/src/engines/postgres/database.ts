import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely';
import pg from 'pg';
import { Lane } from '../../domain/lane.ts';
import type { DB } from './schema.ts';

export type Database = Kysely<DB>;

/** bigint as a number: nothing we count comes near 2^53, and the driver would answer text. */
const types = new pg.TypeOverrides();
types.setTypeParser(pg.types.builtins.INT8, Number);

/** How long PostgreSQL may keep a caller waiting. */
export interface Deadlines {
  /** For a new connection; or, while PostgreSQL answers nobody, for one of the pool. While it does, twice as long. */
  readonly connectMs: number;
  /** For a statement, kept by the server, which cancels it; the connection stays usable. 0: no limit. */
  readonly statementMs: number;
  /** For an answer, kept by us: it also ends when the server is frozen or the network loses packets. 0: no limit. */
  readonly answerMs: number;
}

/**
 * A request answers within 12 seconds whatever happens: waiting to be authenticated (2 s, see batched.ts), then a
 * connection and an answer, or after a failure a second attempt at a connection, for what has to be cleaned up.
 */
export const requestDeadlines: Deadlines = { connectMs: 3_000, statementMs: 5_000, answerMs: 5_500 };

/** Nobody waits for a job, and a sweep has more to do in one statement than a request has. */
export const jobDeadlines: Deadlines = { connectMs: 10_000, statementMs: 30_000, answerMs: 35_000 };

/** A migration takes as long as its tables are large, and waits for another process that migrates. */
export const migrationDeadlines: Deadlines = { connectMs: 10_000, statementMs: 0, answerMs: 0 };

/** PostgreSQL did not answer in time, or so many callers wait for it already that another one would not be served. */
export class OutOfReachError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'OutOfReachError';
  }
}

/** Callers that may wait for each connection of the pool. */
const waitingPerConnection = 200;

export interface PoolOptions {
  readonly url: string;
  readonly connections: number;
  readonly deadlines: Deadlines;
  readonly onError: (error: Error) => void;
}

export function openPool({ url, connections, deadlines, onError }: PoolOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    types,
    connectionTimeoutMillis: deadlines.connectMs,
    statement_timeout: deadlines.statementMs,
    query_timeout: deadlines.answerMs,
    idle_in_transaction_session_timeout: 30_000,
    keepAlive: true,
    application_name: 'waybill',
  });
  // A backend that goes away reports on its client; without a listener that would end the process.
  pool.on('error', onError);
  pool.on('connect', (client) => {
    client.on('error', onError);
    disconnectAtDeadline(client);
  });
  return pool;
}

/**
 * The driver gives up waiting and keeps the connection, on which the next query would wait for the same answer. Once
 * disconnected, a transaction's rollback fails at once, and the pool opens another connection.
 */
function disconnectAtDeadline(client: pg.PoolClient): void {
  const query = client.query.bind(client) as (...parameters: unknown[]) => unknown;
  client.query = ((...parameters: unknown[]) => {
    const answer = query(...parameters);
    if (!(answer instanceof Promise)) return answer;
    return answer.catch((error: unknown) => {
      if (!(error instanceof Error) || error.message !== 'Query read timeout') throw error;
      void (client as unknown as pg.Client).end();
      throw new OutOfReachError('PostgreSQL did not answer in time', { cause: error });
    });
  }) as typeof client.query;
}

export function openDatabase(pool: pg.Pool): Database {
  return new Kysely<DB>({ dialect: new PostgresDialect({ pool: preparing(pool) }) });
}

/**
 * Prepares every statement once per connection, so that PostgreSQL plans it once and not for each request. This
 * requires that there are few different texts of statements: a list is always one parameter, however long it is. What is
 * the same in every call, like the size of a batch, is part of the text: the plan for a `limit` that is a parameter reads
 * a tenth of the table, whatever the limit turns out to be.
 */
function preparing(pool: pg.Pool): PostgresPool {
  const names = new Map<string, string>();
  const nameOf = (text: string) => {
    const name = names.get(text) ?? `waybill_${names.size}`;
    names.set(text, name);
    return name;
  };
  const { max, connectionTimeoutMillis: silenceMs = 0 } = pool.options;
  const lane = new Lane({ atOnce: max, silenceMs, waitMs: 2 * silenceMs, maxWaiting: max * waitingPerConnection });
  return {
    async connect() {
      const { leave } = await lane.enter();
      const client = await pool.connect().catch((error: unknown) => {
        leave('failed');
        throw error;
      });
      let outcome: 'answered' | 'failed' = 'failed';
      return {
        async query(text: string, values: readonly unknown[]) {
          const result = await client.query(
            values.length === 0 ? text : { name: nameOf(text), text, values: [...values] },
          );
          outcome = 'answered';
          return result;
        },
        release(destroy?: boolean) {
          client.release(destroy);
          leave(outcome);
        },
      } as unknown as PostgresPoolClient;
    },
    end: () => pool.end(),
    options: pool.options,
  };
}
