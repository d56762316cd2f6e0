import { hkdfSync } from 'node:crypto';
import type { ChunkRun } from '../ports.ts';
import { chunkKey, type SegmentSeal } from './sealing.ts';

interface WithRuns {
  readonly id: string;
  readonly runs: readonly ChunkRun[];
}

/**
 * A resumable upload can have many writers, one after the other. What one of them was about to store when it was cut
 * off may or may not exist, so the next must not seal other bytes under the same key and number: it begins a run of its
 * own, with a prefix and a key of its own. A file that was never cut off is one run, named as the file.
 */
export function runAt(file: WithRuns, chunk: number): ChunkRun {
  return file.runs.findLast((run) => run.first <= chunk) ?? firstRun(file);
}

export function sealOf(dataKey: Buffer, fileId: string, run: ChunkRun): SegmentSeal {
  if (run.id === fileId) return { dataKey, fileId };
  const derived = hkdfSync('sha256', dataKey, Buffer.alloc(0), `waybill run ${run.id}`, 32);
  return { dataKey: Buffer.from(derived), fileId: run.id };
}

/** The runs after a new one has begun at `first`; chunks below `claimed` may exist in the one before. */
export function withRun(file: WithRuns, id: string, first: number, claimed: number): ChunkRun[] {
  const before = file.runs.length > 0 ? file.runs : [firstRun(file)];
  return [...before.map((run) => ({ ...run, end: run.end ?? claimed })), { id, first, end: null }];
}

/** Objects that may have been stored in a run after which another one began before them: nobody reads them. */
export function leftoverKeys(file: WithRuns): string[] {
  return file.runs.flatMap((run, index) => {
    const next = file.runs[index + 1];
    if (!next || run.end === null) return [];
    const from = next.first;
    return Array.from({ length: Math.max(0, run.end - from) }, (_, offset) => chunkKey(run.id, from + offset));
  });
}

const firstRun = (file: WithRuns): ChunkRun => ({ id: file.id, first: 0, end: null });
