import type { Checkpoint } from '@waybill/evidence';
import type { Engines } from '../engines.ts';
import { LogTree } from './log-tree.ts';
import { readCheckpoint } from './published-checkpoint.ts';
import { maxCheckpointBytes, toCheckpointName, toObjectName } from './read-log.ts';

const entriesPerBatch = 4_096;
const putsAtOnce = 8;

/**
 * Publishes the epochs of a restored database again that the bucket does not have: their tiles follow from the entries, and
 * the database has their checkpoints. What is in the bucket stays as it is, because it was published. Returns the epochs
 * whose entries do not lead to what was signed.
 */
export async function restoreLog(
  engines: Pick<Engines, 'store' | 'logObjects'>,
  signal: AbortSignal,
): Promise<readonly number[]> {
  const { store, logObjects } = engines;
  const damaged: number[] = [];
  for (const log of await store.evidenceLog.list()) {
    const name = toCheckpointName(log.epoch);
    if (log.checkpoint === null || (await logObjects.read(name, maxCheckpointBytes, signal))) continue;
    // A restored database may have only a part of the entries that the last checkpoint covers.
    const notes = [log.checkpoint, log.signedCheckpoint].filter((note) => note !== null);
    const note = notes.find((one) => (readCheckpoint(one)?.size ?? 0) <= log.size) ?? log.checkpoint;
    if (await writeTiles(engines, log.epoch, note, signal)) await logObjects.put(name, Buffer.from(note), signal);
    else damaged.push(log.epoch);
  }
  return damaged;
}

/** Returns whether the tree has the root that was signed. */
async function writeTiles(
  { store, logObjects }: Pick<Engines, 'store' | 'logObjects'>,
  epoch: number,
  checkpoint: string,
  signal: AbortSignal,
): Promise<boolean> {
  const signed = readCheckpoint(checkpoint);
  if (!signed) return false;
  return rebuildTree(store, epoch, signed, async ({ files, obsolete }) => {
    for (let from = 0; from < files.length; from += putsAtOnce) {
      const some = files.slice(from, from + putsAtOnce);
      await Promise.all(some.map(({ path, bytes }) => logObjects.put(toObjectName(epoch, path), bytes, signal)));
    }
    if (obsolete.length > 0) {
      await logObjects.delete(
        obsolete.map((path) => toObjectName(epoch, path)),
        signal,
      );
    }
  });
}

/** Computes the files of an epoch from the entries in the database. Returns whether these lead to what was signed. */
export async function rebuildTree(
  store: Engines['store'],
  epoch: number,
  signed: Checkpoint,
  take: (appended: ReturnType<LogTree['append']>) => Promise<void>,
): Promise<boolean> {
  const tree = LogTree.empty();
  while (tree.size < signed.size) {
    const count = Math.min(entriesPerBatch, signed.size - tree.size);
    const entries = await store.evidenceLog.placed(epoch, tree.size, count);
    if (entries.length < count) return false;
    await take(tree.append(entries.map(({ commitment }) => commitment)));
  }
  return Buffer.compare(tree.root, signed.root) === 0;
}
