import type { DatabaseSync } from 'node:sqlite';

/**
 * Opens an SQLite file that is both the journal of a folder and its lock: one process holds it while it runs, and the
 * kernel releases it however that process ends. A change is either on disk or not made. Returns undefined while another
 * process holds the lock.
 */
export async function openExclusively(path: string): Promise<DatabaseSync | undefined> {
  const { DatabaseSync } = await importSqlite();
  const database = new DatabaseSync(path);
  try {
    database.exec('pragma locking_mode = exclusive; pragma synchronous = full; begin exclusive; commit');
    database.exec('pragma journal_mode = truncate');
    return database;
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode === sqliteBusy) return undefined;
    throw error;
  }
}

/** SQLITE_BUSY */
const sqliteBusy = 5;

/** Suppresses the warning that some versions of Node print because the module is experimental. */
async function importSqlite(): Promise<typeof import('node:sqlite')> {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    return await import('node:sqlite');
  } finally {
    process.emitWarning = emitWarning;
  }
}
