import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import type { DB } from './schema.ts';

export type Database = Kysely<DB>;

/** bigint as a number: nothing we count comes near 2^53, and the driver would answer text. */
const types = new pg.TypeOverrides();
types.setTypeParser(pg.types.builtins.INT8, Number);

export function openPool(options: { url: string; connections: number; onError: (error: Error) => void }): pg.Pool {
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.connections,
    types,
    connectionTimeoutMillis: 5_000,
    // A request never waits longer on the database than its caller would.
    statement_timeout: 30_000,
    idle_in_transaction_session_timeout: 30_000,
    keepAlive: true,
    application_name: 'waybill',
  });
  // A backend that goes away reports on its client; without a listener that would end the process.
  pool.on('error', options.onError);
  pool.on('connect', (client) => client.on('error', options.onError));
  return pool;
}

export function openDatabase(pool: pg.Pool): Database {
  return new Kysely<DB>({ dialect: new PostgresDialect({ pool }) });
}
