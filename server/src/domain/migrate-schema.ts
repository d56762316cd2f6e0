import type { Author } from './audit/audit-store.ts';
import { recordMaintenance } from './audit/record.ts';
import type { Engines } from './engines.ts';

/** Applies what the schema lacks, and records it afterwards: before, the audit may have no table. Returns the names. */
export async function migrateSchema(
  engines: Pick<Engines, 'store' | 'random'>,
  migrate: () => Promise<string[]>,
  author: Author,
): Promise<string[]> {
  const migrations = await migrate();
  if (migrations.length > 0) await recordMaintenance(engines, author, 'schema.migrated', { migrations });
  return migrations;
}
