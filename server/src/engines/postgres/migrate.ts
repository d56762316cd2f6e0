import { readdir, readFile } from 'node:fs/promises';
import { runMigrations } from 'graphile-worker';
import type pg from 'pg';

/** Any number: it only has to be the same in every process that migrates. */
const lockNumber = 7_295_113;

const folder = new URL('../../../migrations/', import.meta.url);

/**
 * Brings the schema up to this program, forward only. Starters at the same time wait for one another; a schema from
 * the future is refused, because this program does not know what it means.
 */
export async function migrate(pool: pg.Pool): Promise<string[]> {
  const files = (await readdir(folder)).filter((name) => /^\d{4}_\w+\.sql$/.test(name)).sort();
  const client = await pool.connect();
  try {
    // A migration of a large table, and waiting for another starter's, may take longer than a request may.
    await client.query('set statement_timeout = 0');
    await client.query('select pg_advisory_lock($1)', [lockNumber]);
    await runMigrations({ pgPool: pool });
    await client.query(
      'create table if not exists migrations (name text primary key, applied_at timestamptz not null default now())',
    );
    const { rows } = await client.query<{ name: string }>('select name from migrations');
    const applied = new Set(rows.map((row) => row.name));
    const unknown = [...applied].filter((name) => !files.includes(name));
    if (unknown.length > 0) {
      throw new Error(
        `the database is newer than this program (it has ${unknown.join(', ')}); run the version that made it, or a later one`,
      );
    }
    const pending = files.filter((name) => !applied.has(name));
    for (const name of pending) {
      await client.query('begin');
      await client.query(await readFile(new URL(name, folder), 'utf8'));
      await client.query('insert into migrations (name) values ($1)', [name]);
      await client.query('commit');
    }
    return pending;
  } finally {
    // Ends the session, and with it the lock and whatever transaction a failed migration left open.
    client.release(true);
  }
}
