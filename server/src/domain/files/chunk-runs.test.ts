import { randomUUID } from 'node:crypto';
import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { memoryObjectStore } from '../../../test/memory/memory-object-store.ts';
import { deterministicRandom } from '../../../test/random.ts';
import { describeOutcome, openFile, silentLedger, testMemory } from '../../../test/sealed-file.ts';
import { createSeal, leftoverKeys, listRuns, locateSegment, objectEnd, takeKeys, withRun } from './chunk-runs.ts';
import type { ChunkRun, SealedFile } from './file-store.ts';
import { chunkBytes, chunkKey, segmentBytes, segmentsPerChunk } from './sealing.ts';
import { SealedWriter } from './write-sealed.ts';

const dataKey = Buffer.alloc(32, 1);
const fileId = randomUUID();
const live = new AbortController().signal;

/**
 * The result of each writer in turn: the objects that count, the segments in the last of them (a writer that is asked
 * to free memory stores a short one), the objects that it may have stored beyond them, and the next chunk size.
 */
const writers = fc.array(
  fc.record({
    counted: fc.nat(3),
    shortBy: fc.nat(2),
    claimed: fc.nat(2),
    nextSize: fc.constantFrom(1, 3, segmentsPerChunk),
  }),
  { maxLength: 8 },
);

/** A file as those writers leave it, with a new run wherever something was claimed or the last object is short. */
function makeFile(history: readonly { counted: number; shortBy: number; claimed: number; nextSize: number }[]) {
  const file: { id: string; runs: readonly ChunkRun[] } = { id: fileId, runs: [] };
  let [segment, object] = [0, 0];
  /** The key of the object that contains each segment. */
  const owners: string[] = [];
  const strays = new Set<string>();
  const all: string[] = [];
  for (const { counted, shortBy, claimed, nextSize } of history) {
    const run = listRuns(file).at(-1) as ChunkRun;
    for (let nth = 0; nth < counted; nth += 1, object += 1) {
      const isShort = nth === counted - 1 && run.segmentsPerChunk > shortBy;
      const segments = run.segmentsPerChunk - (isShort ? shortBy : 0);
      all.push(chunkKey(run.id, object));
      owners.push(...Array.from({ length: segments }, () => chunkKey(run.id, object)));
      segment += segments;
    }
    for (let stray = object; stray < object + claimed; stray += 1) {
      strays.add(chunkKey(run.id, stray));
      all.push(chunkKey(run.id, stray));
    }
    if (claimed > 0 || shortBy > 0) {
      const next = { id: randomUUID(), firstSegment: segment, segmentsPerChunk: nextSize };
      file.runs = withRun(file, next, object + claimed);
      object = 0;
    }
  }
  return { file, chunkCount: object, segment, owners, strays, all };
}

describe('after any number of writers', () => {
  test.prop([writers])('a segment is in the object of the writer whose chunk counted', (history) => {
    const { file, owners } = makeFile(history);
    const places = owners.map((_, segment) => {
      const { run, object } = locateSegment(file, segment);
      return chunkKey(run.id, object);
    });
    expect(places).toEqual(owners);
  });

  test.prop([writers])('an object ends where the next one begins', (history) => {
    const { file, owners } = makeFile(history);
    for (let segment = 0; segment < owners.length; segment = objectEnd(file, segment)) {
      expect(locateSegment(file, segment).segmentsBefore).toBe(0);
      const end = objectEnd(file, segment);
      const next = owners.findIndex((key, other) => other > segment && key !== owners[segment]);
      // The last object may become longer.
      if (next >= 0) expect(end).toBe(next);
      else expect(end).toBeGreaterThanOrEqual(owners.length);
      expect(owners.slice(segment, end).map((_, nth) => locateSegment(file, segment + nth).segmentsBefore)).toEqual(
        owners.slice(segment, end).map((_, nth) => nth),
      );
    }
  });

  test.prop([writers])('the leftovers are what was claimed and did not count, and no object that counts', (history) => {
    const { file, owners, strays } = makeFile(history);
    // The last run's objects are not yet known to be leftovers, because its writer continues.
    const last = listRuns(file).at(-1) as ChunkRun;
    const known = [...strays].filter((key) => !key.startsWith(last.id));
    const leftovers = leftoverKeys(file);
    expect(leftovers.toSorted()).toEqual(known.toSorted());
    expect(owners.filter((key) => leftovers.includes(key))).toEqual([]);
  });

  test.prop([writers])('no number is claimed twice in a run', (history) => {
    const { all } = makeFile(history);
    expect(new Set(all).size).toBe(all.length);
  });

  test.prop([writers, fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 })])(
    'every key is taken exactly once, in batches of any size',
    (history, sizes) => {
      const { file, chunkCount, all, strays } = makeFile(history);
      const last = listRuns(file).at(-1) as ChunkRun;
      const claimed = chunkCount + [...strays].filter((key) => key.startsWith(last.id)).length;
      let rest = { ...file, chunkCount: claimed };
      const taken: string[] = [];
      for (let batch = 0; rest.chunkCount > 0 || rest.runs.length > 1; batch += 1) {
        const max = sizes[batch % sizes.length] as number;
        const { keys, rest: after } = takeKeys(rest, max);
        expect(keys.length).toBeLessThanOrEqual(max);
        if (after.chunkCount > 0) expect(keys).toHaveLength(max);
        // The remainder is written to the database, so it must be the same after a round trip through JSON.
        rest = JSON.parse(JSON.stringify(after)) as typeof rest;
        taken.push(...keys);
        expect(batch).toBeLessThan(200);
      }
      expect(taken.toSorted()).toEqual(all.toSorted());
      expect(takeKeys(rest, 10).keys).toEqual([]);
    },
  );
});

test('a run that begins before the one before it takes its place', () => {
  // A writer began a run of small chunks at segment 140 and was cut off before everything below that was stored.
  const [small, third] = [randomUUID(), randomUUID()];
  let runs = withRun({ id: fileId, runs: [] }, { id: small, firstSegment: 140, segmentsPerChunk: 1 }, 2);
  runs = withRun({ id: fileId, runs }, { id: third, firstSegment: 128, segmentsPerChunk }, 3);
  const file = { id: fileId, runs };
  expect([127, 128, 140, 300].map((segment) => locateSegment(file, segment).run.id)).toEqual([
    fileId,
    third,
    third,
    third,
  ]);
  expect(objectEnd(file, 5)).toBe(128);
  expect(leftoverKeys(file).toSorted()).toEqual(
    [chunkKey(fileId, 1), ...[0, 1, 2].map((object) => chunkKey(small, object))].toSorted(),
  );
});

test('a file that was never cut off is one run, named and sealed as the file', () => {
  const file = { id: fileId, runs: [] };
  expect(locateSegment(file, 7 * segmentsPerChunk + 5)).toEqual({
    run: { id: fileId, firstSegment: 0, segmentsPerChunk, objects: null },
    object: 7,
    segmentsBefore: 5,
  });
  expect(createSeal(dataKey, file, locateSegment(file, 7).run)).toEqual({ dataKey, fileId });
  expect(leftoverKeys(file)).toEqual([]);
});

test('every run has a key of its own, that the file’s key leads to', () => {
  const runs = [fileId, randomUUID(), randomUUID()].map((id) => ({ id }));
  const seals = runs.map((run) => createSeal(dataKey, { id: fileId, runs }, run));
  expect(new Set(seals.map((seal) => seal.dataKey.toString('hex'))).size).toBe(3);
  expect(seals.map((seal) => seal.fileId)).toEqual(runs.map((run) => run.id));
  expect(runs.map((run) => createSeal(dataKey, { id: fileId, runs }, run))).toEqual(seals);
});

describe('a file of several runs', () => {
  const content = deterministicRandom('runs').bytes(3 * chunkBytes + 5 * segmentBytes + 3);
  const memory = memoryObjectStore();
  const [second, third] = [randomUUID(), randomUUID()];
  const file: SealedFile = {
    accountId: 'an account',
    id: fileId,
    name: 'a.bin',
    path: 'a.bin',
    sizeBytes: content.length,
    sha256: Buffer.alloc(32),
    crc32: 0,
    scan: 'clean',
    unscannedReason: null,
    wrappedKey: dataKey,
    keyDay: 1,
    runs: [
      { id: fileId, firstSegment: 0, segmentsPerChunk, objects: 2 },
      { id: second, firstSegment: segmentsPerChunk, segmentsPerChunk, objects: 1 },
      { id: third, firstSegment: segmentsPerChunk, segmentsPerChunk, objects: null },
    ],
  };
  /** Writes chunks of each run, and for the last run more than count. */
  const write = async (index: number, bytes: Buffer, whole: boolean) => {
    const runs = file.runs.slice(0, index + 1);
    const segment = runs.at(-1)?.firstSegment as number;
    const writer = new SealedWriter({
      objects: memory,
      memory: (flush) => testMemory.openShare('runs', 1, { flush, signal: live }),
      file: { id: fileId, dataKey, runs },
      object: 0,
      segment,
      signal: live,
      ledger: silentLedger,
      newRunId: randomUUID,
    });
    await writer.write(bytes.subarray(segment * segmentBytes));
    if (whole) await writer.finish();
    else await writer.pause();
    await writer.close();
  };
  const stored = (async () => {
    await write(0, content.subarray(0, 2 * chunkBytes), false);
    await write(1, Buffer.alloc(2 * chunkBytes, 'other bytes'), false);
    await write(2, content, true);
  })();

  test('is read as one', async () => {
    await stored;
    expect((await openFile(memory, file)).equals(content)).toBe(true);
    expect(memory.objects.size).toBe(6);
    await memory.delete(leftoverKeys(file));
    expect([...memory.objects.keys()].sort()).toEqual(
      [chunkKey(fileId, 0), chunkKey(third, 0), chunkKey(third, 1), chunkKey(third, 2)].sort(),
    );
    expect((await openFile(memory, file)).equals(content)).toBe(true);
  });

  const range = fc
    .tuple(fc.nat(content.length), fc.nat(content.length))
    .map(([a, b]) => ({ start: Math.min(a, b), end: Math.max(a, b) }));
  test.prop([range], { numRuns: 15 })('is read in any part', async ({ start, end }) => {
    await stored;
    expect((await openFile(memory, file, { start, end })).equals(content.subarray(start, end))).toBe(true);
  });

  test('is damaged when one run’s object is in another’s place', async () => {
    await stored;
    const swapped = { ...memory, read: memory.read };
    swapped.read = (key, ...rest) => memory.read(key === chunkKey(fileId, 0) ? chunkKey(third, 1) : key, ...rest);
    expect(await describeOutcome(openFile(swapped, file))).toBe('damaged');
    const unlisted = { ...file, runs: file.runs.slice(0, 1) };
    expect(await describeOutcome(openFile(memory, unlisted))).toBe('damaged');
  });
});
