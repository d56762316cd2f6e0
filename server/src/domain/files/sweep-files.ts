import type { Engines } from '../engines.ts';
import { takeKeys } from './chunk-runs.ts';
import { deleteObjects, objectsPerRequest } from './delete-objects.ts';
import type { Deletion, DeletionStore } from './file-store.ts';

const leaseSeconds = 60;

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
