import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { Log } from './log-store.ts';
import type { LogFile } from './log-tree.ts';
import { LogRefusal, type PublishedCheckpoint, readPublished, toNothing } from './published-checkpoint.ts';
import { readBundle, readLogFile, tileWidth, toObjectName } from './read-log.ts';
import { type ReadCommitments, readCommitmentsOf, rebuildTree } from './restore-log.ts';

const filesAtOnce = 8;

type Needs = Pick<Engines, 'store' | 'logObjects'>;

/**
 * Writes the tiles and bundles of an epoch again that are missing or damaged in the bucket. They follow from the entries in the
 * database, if these lead to the checkpoint that is signed; otherwise it changes nothing. Of entries that a restored database
 * has lost, it changes nothing either. Returns how many it has written.
 */
export async function repairLog(engines: Needs, log: Log, signal: AbortSignal): Promise<number> {
  const { store, logObjects } = engines;
  const { epoch } = log;
  const published = await readPublished(engines, log, signal).catch((error: unknown) => {
    if (!(error instanceof LogRefusal)) throw error;
    return undefined;
  });
  // The log may have grown.
  const { size } = (await store.evidenceLog.find(epoch)) ?? log;
  if (!published || !(await leadsTo(engines, { epoch, size }, published, signal))) return 0;

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
  const known = Math.min(size, published.size);
  await rebuildTree(readCommitmentsOf(store, epoch), known, async ({ files }) => {
    for (const file of files) {
      const [place = '', width] = file.path.split('.p/');
      if (width === undefined) partial.delete(place);
      else partial.set(place, file);
    }
    await writeAll(files.filter(({ path }) => !path.includes('.p/')));
  });
  if (known === published.size) await writeAll([...partial.values()]);
  return repaired;
}

/** Tells whether the entries in the database, and from the bucket those that it has lost, are those that were signed. */
async function leadsTo(
  { store, logObjects }: Needs,
  { epoch, size }: Pick<Log, 'epoch' | 'size'>,
  published: PublishedCheckpoint,
  signal: AbortSignal,
): Promise<boolean> {
  const readStored = readCommitmentsOf(store, epoch);
  const readLost: ReadCommitments = async (from, count) => {
    const index = Math.floor(from / tileWidth);
    const width = Math.min(tileWidth, published.size - index * tileWidth);
    const bundle = await readBundle(logObjects, epoch, { index, width }, signal).catch(unlessDamaged);
    return bundle.slice(from - index * tileWidth).slice(0, count);
  };
  const root = await rebuildTree(
    (from, count) => (from < size ? readStored(from, Math.min(count, size - from)) : readLost(from, count)),
    published.size,
    async () => undefined,
  );
  return root !== undefined && Buffer.compare(root, published.root) === 0;
}

function unlessDamaged(error: unknown): Uint8Array[] {
  if (!(error instanceof ExchangeError && error.code === 'damaged') && !(error instanceof RangeError)) throw error;
  return [];
}
