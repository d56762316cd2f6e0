import type { Engines } from '../engines.ts';
import { SetupError } from '../setup-error.ts';
import { findLastPublished } from './start-epoch.ts';

/**
 * Throws a SetupError if an evidence log is in the bucket, which every installation has from its first minute. Nobody may
 * then begin with an empty database: it is not the one that the bucket belongs to.
 */
export async function requireUnusedBucket(engines: Pick<Engines, 'logObjects'>, bucket: string): Promise<void> {
  const last = await findLastPublished(engines);
  if (!last) return;
  const epochs = last.epoch === 1 ? '1 epoch' : `${last.epoch} epochs`;
  throw new SetupError(
    `The database is empty, but the bucket "${bucket}" is in use: it has an evidence log of ${epochs}. Correct WAYBILL_DATABASE_URL, or restore a backup with \`waybilld admin restore\`. To use the bucket for a new installation, empty it first.`,
  );
}
