import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';

/** The most keys that one request takes. */
export const objectsPerRequest = 1_000;
const leaseSeconds = 60;
/** After this many failures and no success, the store is at fault and not the objects. */
const failedTogether = 10;

type Needs = Pick<Engines, 'store' | 'objects' | 'logger'>;

/**
 * Deletes up to 1,000 objects. One that the store does not delete is recorded and tried again later, so that it does not
 * keep the others. Returns how many were deleted.
 */
export async function deleteObjects({ store, objects, logger }: Needs, keys: readonly string[]): Promise<number> {
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
export async function retryDeletions(engines: Needs, signal?: AbortSignal): Promise<number> {
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
