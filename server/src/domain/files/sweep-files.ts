import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import { query } from '../query.ts';
import { takeKeys } from './chunk-runs.ts';
import type { Deletion, DeletionStore } from './file-store.ts';

/** The most keys that one request takes. */
const objectsPerRequest = 1_000;
const leaseSeconds = 60;
/** After this many failures and no success, the store is at fault and not the objects. */
const failedTogether = 10;

type Needs = Pick<Engines, 'store' | 'objects' | 'checkpoint' | 'logger'>;

/**
 * Deletes the objects of files whose key is destroyed, and of uploads that ended without a file. The objects of many
 * small files are deleted in one request, those of a large file in several, from its end, with the progress recorded.
 * Nothing is left behind, whatever the size of a file and wherever a crash happens; what the store does not delete is
 * recorded in a list of its own.
 */
export async function sweepFiles(engines: Needs, signal?: AbortSignal): Promise<{ files: number; objects: number }> {
  const swept = { files: 0, objects: 0 };
  for (const source of [engines.store.uploads, engines.store.files]) {
    for (;;) {
      signal?.throwIfAborted();
      const deletions = await source.takeDeletions(objectsPerRequest, leaseSeconds);
      if (deletions.length === 0) break;
      swept.files += deletions.length;
      swept.objects += await deleteAll(engines, source, deletions, signal);
    }
  }
  return swept;
}

async function deleteAll(
  engines: Needs,
  source: DeletionStore,
  deletions: readonly Deletion[],
  signal: AbortSignal | undefined,
): Promise<number> {
  let deleted = 0;
  let waiting = deletions;
  while (waiting.length > 0) {
    signal?.throwIfAborted();
    const keys: string[] = [];
    const settled: Deletion[] = [];
    for (const deletion of waiting) {
      const taken = takeKeys(deletion, objectsPerRequest - keys.length);
      keys.push(...taken.keys);
      settled.push(taken.rest);
      if (keys.length === objectsPerRequest) break;
    }
    if (keys.length > 0) deleted += await deleteObjects(engines, keys);
    engines.checkpoint('sweep:objects-deleted');
    await source.settleDeletions(settled);
    const last = settled.at(-1) as Deletion;
    const isDone = last.chunkCount === 0 && last.runs.length <= 1;
    waiting = [...(isDone ? [] : [last]), ...waiting.slice(settled.length)];
  }
  return deleted;
}

/**
 * Deletes up to 1,000 objects. One that the store does not delete is recorded and tried again later, so that it does not
 * keep the others. Returns how many were deleted.
 */
export async function deleteObjects(
  { store, objects, logger }: Omit<Needs, 'checkpoint'>,
  keys: readonly string[],
): Promise<number> {
  const failed = await objects.delete(keys);
  if (failed.length >= failedTogether && failed.length === keys.length) {
    const cause = new Error(`the store deletes none of ${keys.length} objects`);
    throw new ExchangeError('unavailable', undefined, { cause, engine: 's3' });
  }
  const [first] = failed;
  if (first === undefined) return keys.length;
  await store.undeletedObjects.record(failed);
  logger.warn('the object store does not delete an object', { object: first, objects: failed.length });
  return keys.length - failed.length;
}

/** Tries again to delete what could not be deleted before and is due. Returns how many were deleted. */
export async function retryDeletions(engines: Omit<Needs, 'checkpoint'>, signal?: AbortSignal): Promise<number> {
  const { undeletedObjects } = engines.store;
  let deleted = 0;
  for (;;) {
    signal?.throwIfAborted();
    const keys = await undeletedObjects.takeDue(objectsPerRequest, leaseSeconds);
    if (keys.length === 0) return deleted;
    const failed = new Set(await engines.objects.delete(keys));
    await undeletedObjects.record([...failed]);
    const gone = keys.filter((key) => !failed.has(key));
    await undeletedObjects.purge(gone);
    deleted += gone.length;
    if (gone.length === 0) return deleted;
  }
}

export const listUndeletedObjects = query((store) => store.undeletedObjects.list);
