import { sql } from 'kysely';
import type { Database } from './database.ts';

const heartbeatMs = 5_000;
const lostAfterSeconds = 20;

/**
 * Holds an advisory lock in a transaction that does nothing else. PostgreSQL releases the lock when the connection
 * breaks, and also when the process hangs: then the heartbeat stops, and PostgreSQL ends a transaction that is idle for
 * too long.
 */
export async function exclusively<T>(
  db: Database,
  name: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  return db.transaction().execute(async (tx) => {
    await sql`select set_config('idle_in_transaction_session_timeout', ${`${lostAfterSeconds}s`}, true)`.execute(tx);
    const { rows } = await sql<{ taken: boolean }>`
      select pg_try_advisory_xact_lock(hashtextextended(${name}, 0)) as taken`.execute(tx);
    if (!rows[0]?.taken) return undefined;
    const lost = new AbortController();
    const heartbeat = setInterval(() => {
      sql`select 1`.execute(tx).catch((error: unknown) => lost.abort(error));
    }, heartbeatMs);
    try {
      return await work(lost.signal);
    } finally {
      clearInterval(heartbeat);
    }
  });
}
