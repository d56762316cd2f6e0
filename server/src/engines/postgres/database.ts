import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely';
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
  return new Kysely<DB>({ dialect: new PostgresDialect({ pool: preparing(pool) }) });
}

/**
 * Has every statement prepared once a connection, so that PostgreSQL plans it once and not at each request. This asks
 * that the texts of statements are few: a list is always one parameter, never as many as it is long.
 */
function preparing(pool: pg.Pool): PostgresPool {
  const names = new Map<string, string>();
  const nameOf = (text: string) => {
    const name = names.get(text) ?? `waybill_${names.size}`;
    names.set(text, name);
    return name;
  };
  return {
    async connect() {
      const client = await pool.connect();
      return {
        query: (text: string, values: readonly unknown[]) =>
          client.query(values.length === 0 ? text : { name: nameOf(text), text, values: [...values] }),
        release: (destroy?: boolean) => client.release(destroy),
      } as unknown as PostgresPoolClient;
    },
    end: () => pool.end(),
    options: pool.options,
  };
}
