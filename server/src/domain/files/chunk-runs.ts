import { hkdfSync } from 'node:crypto';
import type { ChunkRun } from './file-store.ts';
import { chunkKey, type SegmentSeal, sealedBytes, segmentCount, segmentsPerChunk } from './sealing.ts';

interface WithRuns {
  readonly id: string;
  readonly runs: readonly ChunkRun[];
}

/**
 * A run is a sequence of objects that have their own prefix, key and chunk size. Most files are one run, named after
 * the file. A writer begins another run
 * - when it resumes after a writer that was cut off: objects that the earlier writer was about to store may or may not
 *   exist, so different bytes must not be sealed under the same key and number;
 * - when it changes the chunk size.
 */
export function listRuns(file: WithRuns): readonly ChunkRun[] {
  return file.runs.length > 0 ? file.runs : [{ id: file.id, firstSegment: 0, segmentsPerChunk, objects: null }];
}

/** Finds a segment: the run, the object in it, and the number of segments before it in that object. */
export function locateSegment(
  file: WithRuns,
  segment: number,
): { run: ChunkRun; object: number; segmentsBefore: number } {
  const runs = listRuns(file);
  // The run that began last: it may have begun before a run that was never completed. The first begins at segment 0.
  const run = runs.findLast(({ firstSegment }) => firstSegment <= segment) as ChunkRun;
  const inRun = segment - run.firstSegment;
  return { run, object: Math.floor(inRun / run.segmentsPerChunk), segmentsBefore: inRun % run.segmentsPerChunk };
}

/** The first segment that is not in the same object as this one. */
export function objectEnd(file: WithRuns, segment: number): number {
  const { run, object } = locateSegment(file, segment);
  return Math.min(run.firstSegment + (object + 1) * run.segmentsPerChunk, runEnd(file.runs, file.runs.indexOf(run)));
}

/** An object of a complete file: the segments that are read from it, which are at its beginning, and their size. */
export interface FileObject {
  readonly key: string;
  readonly run: ChunkRun;
  readonly firstSegment: number;
  /** Exclusive. */
  readonly endSegment: number;
  readonly bytes: number;
}

/** The objects that a complete file is read from, in order. */
export function* listObjects(file: WithRuns & { readonly sizeBytes: number }): Generator<FileObject, void, void> {
  const end = segmentCount(file.sizeBytes);
  for (let firstSegment = 0; firstSegment < end; ) {
    const { run, object } = locateSegment(file, firstSegment);
    const endSegment = Math.min(objectEnd(file, firstSegment), end);
    const bytes = sealedBytes(file, firstSegment, endSegment);
    yield { key: chunkKey(run.id, object), run, firstSegment, endSegment, bytes };
    firstSegment = endSegment;
  }
}

/** Returns the file that stored the objects. One that was sent again has those of another, and lists all runs of that one. */
export function findContentId(file: { readonly id: string; readonly runs: readonly Pick<ChunkRun, 'id'>[] }): string {
  return file.runs[0]?.id ?? file.id;
}

export function createSeal(
  dataKey: Buffer,
  file: { readonly id: string; readonly runs: readonly Pick<ChunkRun, 'id'>[] },
  run: Pick<ChunkRun, 'id'>,
): SegmentSeal {
  if (run.id === findContentId(file)) return { dataKey, fileId: run.id };
  const derived = hkdfSync('sha256', dataKey, Buffer.alloc(0), `waybill run ${run.id}`, 32);
  return { dataKey: Buffer.from(derived), fileId: run.id };
}

/** The runs after another one has begun. The previous run may have objects numbered below `objects`. */
export function withRun(file: WithRuns, run: Omit<ChunkRun, 'objects'>, objects: number): ChunkRun[] {
  const before = listRuns(file);
  return [...before.slice(0, -1), { ...(before.at(-1) as ChunkRun), objects }, { ...run, objects: null }];
}

/** Objects that are never read: a writer may have stored them, but the next run began before them. */
export function leftoverKeys(file: WithRuns): string[] {
  return listRuns(file).flatMap((run, index, runs) => {
    const used = usedObjects(runs, index);
    const count = Math.max(0, (run.objects ?? used) - used);
    return Array.from({ length: count }, (_, offset) => chunkKey(run.id, used + offset));
  });
}

/**
 * Objects to delete: all objects of the earlier runs, and those of the last run that are numbered below `chunkCount`.
 */
export interface StoredObjects extends WithRuns {
  readonly chunkCount: number;
}

/** Takes up to `max` keys from the end, so that what remains can be described in the same form. */
export function takeKeys<Stored extends StoredObjects>(stored: Stored, max: number): { keys: string[]; rest: Stored } {
  const keys: string[] = [];
  let runs = listRuns(stored);
  let { chunkCount } = stored;
  while (keys.length < max) {
    if (chunkCount > 0) {
      chunkCount -= 1;
      keys.push(chunkKey((runs.at(-1) as ChunkRun).id, chunkCount));
    } else if (runs.length > 1) {
      runs = runs.slice(0, -1);
      chunkCount = runs.at(-1)?.objects ?? 0;
    } else break;
  }
  return { keys, rest: { ...stored, runs: stored.runs.length > 0 ? runs : stored.runs, chunkCount } };
}

/** The first segment that is not in this run: segments in a later run replace those of the earlier runs. */
function runEnd(runs: readonly ChunkRun[], index: number): number {
  return Math.min(...runs.slice(index + 1).map(({ firstSegment }) => firstSegment));
}

function usedObjects(runs: readonly ChunkRun[], index: number): number {
  const { firstSegment, segmentsPerChunk: size } = runs[index] as ChunkRun;
  const end = runEnd(runs, index);
  return Number.isFinite(end) ? Math.max(0, Math.ceil((end - firstSegment) / size)) : 0;
}
