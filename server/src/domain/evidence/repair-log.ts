import type { Engines } from '../engines.ts';
import { LogRefusal } from './log-refusal.ts';
import type { Log } from './log-store.ts';
import type { LogFile } from './log-tree.ts';
import { readPublished, toNothing } from './published-checkpoint.ts';
import { readLogFile, toObjectName } from './read-log.ts';
import { rebuildTree } from './restore-log.ts';

const filesAtOnce = 8;

/**
 * Writes the tiles and bundles of an epoch again that are missing or damaged in the bucket. They follow from the entries in the
 * database, if these lead to the checkpoint that is signed; otherwise it changes nothing. Returns how many it has written, or
 * undefined if it cannot tell what was published.
 */
export async function repairLog(
  engines: Pick<Engines, 'store' | 'logObjects'>,
  log: Log,
  signal: AbortSignal,
): Promise<number | undefined> {
  const { store, logObjects } = engines;
  const { epoch } = log;
  const published = await readPublished(engines, log, signal).catch((error: unknown) => {
    if (!(error instanceof LogRefusal)) throw error;
    return undefined;
  });
  const rebuild = (take: Parameters<typeof rebuildTree>[3]) =>
    published ? rebuildTree(store, epoch, published, take) : Promise.resolve(false);
  if (!(await rebuild(async () => undefined))) return undefined;

  let repaired = 0;
  const write = async ({ path, bytes }: LogFile) => {
    const found = await readLogFile(logObjects, epoch, path, signal).catch(toNothing);
    if (found?.equals(bytes)) return;
    await logObjects.put(toObjectName(epoch, path), bytes, signal);
    repaired += 1;
  };
  const writeAll = async (files: readonly LogFile[]) => {
    for (let from = 0; from < files.length; from += filesAtOnce)
      await Promise.all(files.slice(from, from + filesAtOnce).map(write));
  };
  /** The last partial file of each place. Earlier ones are not needed, and a full one takes its place. */
  const partial = new Map<string, LogFile>();
  await rebuild(async ({ files }) => {
    for (const file of files) {
      const [place = '', width] = file.path.split('.p/');
      if (width === undefined) partial.delete(place);
      else partial.set(place, file);
    }
    await writeAll(files.filter(({ path }) => !path.includes('.p/')));
  });
  await writeAll([...partial.values()]);
  return repaired;
}
