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
  const root = await rebuildTree(readCommitmentsOf(store, epoch), signed.size, async ({ files, obsolete }) => {
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
  return root !== undefined && Buffer.compare(root, signed.root) === 0;
}

/** Reads the commitments of entries from one on: at most a number of them, and none if there are no more. */
export type ReadCommitments = (from: number, count: number) => Promise<readonly Uint8Array[]>;

export function readCommitmentsOf(store: Engines['store'], epoch: number): ReadCommitments {
  return async (from, count) =>
    (await store.evidenceLog.placed(epoch, from, count)).map(({ commitment }) => commitment);
}

/** Computes the files of a log from its first entries. Returns its root, or undefined if there are fewer entries. */
export async function rebuildTree(
  readCommitments: ReadCommitments,
  size: number,
  take: (appended: ReturnType<LogTree['append']>) => Promise<void>,
): Promise<Uint8Array | undefined> {
  const tree = LogTree.empty();
  while (tree.size < size) {
    const commitments = await readCommitments(tree.size, Math.min(entriesPerBatch, size - tree.size));
    if (commitments.length === 0) return undefined;
    await take(tree.append(commitments));
  }
  return tree.root;
}
