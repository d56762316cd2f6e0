import type pg from 'pg';

/** The fingerprint of the pepper under which the API keys in this database were made; undefined if none is recorded. */
export async function readPepper(pool: pg.Pool): Promise<string | undefined> {
  const { rows } = await pool.query<{ fingerprint: string }>('select fingerprint from key_pepper');
  return rows[0]?.fingerprint;
}

/**
 * Records the fingerprint unless there is one, and returns the one that is recorded. A database without API keys takes
 * any pepper.
 */
export async function recordPepper(pool: pg.Pool, fingerprint: string): Promise<string> {
  const recorded = await readPepper(pool);
  // Read first: a database that accepts no changes for the moment can still be used.
  if (recorded === fingerprint) return recorded;
  await pool.query(
    `insert into key_pepper (fingerprint) values ($1)
     on conflict (is_only_row) do update set fingerprint = excluded.fingerprint where not exists (select from api_keys)`,
    [fingerprint],
  );
  return (await readPepper(pool)) ?? fingerprint;
}
