import type { Engines } from '../ports.ts';
import { leftoverKeys, runAt } from './chunk-runs.ts';
import { chunkKey } from './sealing.ts';

const filesPerBatch = 100;
/** What one DeleteObjects takes. */
const objectsPerRequest = 1000;
const leaseSeconds = 60;

/**
 * Deletes the objects of expired intents and of files whose key is destroyed. From the last chunk down, noting the
 * progress, so that a file of any size and a crash at any point leave nothing behind.
 */
export async function sweepFiles(
  engines: Pick<Engines, 'store' | 'objects' | 'checkpoint'>,
  signal?: AbortSignal,
): Promise<{ files: number; objects: number }> {
  let files = 0;
  let objects = 0;
  for (;;) {
    const deletions = await engines.store.files.takeDeletions(filesPerBatch, leaseSeconds);
    for (const deletion of deletions) {
      const leftovers = leftoverKeys(deletion);
      if (leftovers.length > 0) await engines.objects.delete(leftovers);
      let remaining = deletion.chunkCount;
      do {
        signal?.throwIfAborted();
        const from = Math.max(0, remaining - objectsPerRequest);
        const keys = Array.from({ length: remaining - from }, (_, index) =>
          chunkKey(runAt(deletion, from + index).id, from + index),
        );
        if (keys.length > 0) await engines.objects.delete(keys);
        engines.checkpoint('sweep:objects-deleted');
        objects += keys.length;
        remaining = from;
        await engines.store.files.settleDeletion({ ...deletion, chunkCount: remaining });
      } while (remaining > 0);
      files += 1;
    }
    if (deletions.length < filesPerBatch) return { files, objects };
  }
}
