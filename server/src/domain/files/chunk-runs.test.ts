import { randomUUID } from 'node:crypto';
import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { memoryObjectStore } from '../../testing/memory-object-store.ts';
import { deterministicRandom } from '../../testing/random.ts';
import { CountingPool, openFile, outcomeOf } from '../../testing/sealed-file.ts';
import type { ChunkRun, SealedFile } from '../ports.ts';
import { leftoverKeys, runAt, sealOf, withRun } from './chunk-runs.ts';
import { chunkBytes, chunkKey, segmentBytes } from './sealing.ts';
import { SealedWriter } from './write-sealed.ts';

const dataKey = Buffer.alloc(32, 1);
const fileId = randomUUID();

/** How far one writer after the other came: chunks that count, and chunks that it may have stored beyond them. */
const writers = fc.array(fc.record({ counted: fc.nat(3), claimed: fc.nat(2) }), { maxLength: 8 });

/** A file as those writers leave it, as `receiveBytes` goes on: a new run only where something was claimed. */
function fileOf(history: readonly { counted: number; claimed: number }[]) {
  let runs: readonly ChunkRun[] = [];
  let [first, claimed] = [0, 0];
  const owners: string[] = [];
  const strays = new Set<string>();
  for (const writer of history) {
    if (claimed > first) runs = withRun({ id: fileId, runs }, randomUUID(), first, claimed);
    const run = runAt({ id: fileId, runs }, first).id;
    for (let chunk = first; chunk < first + writer.counted; chunk += 1) owners.push(run);
    first += writer.counted;
    claimed = first + writer.claimed;
    for (let chunk = first; chunk < claimed; chunk += 1) strays.add(chunkKey(run, chunk));
  }
  if (claimed > first) runs = withRun({ id: fileId, runs }, randomUUID(), first, claimed);
  return { file: { id: fileId, runs }, owners, strays };
}

describe('after any number of writers', () => {
  test.prop([writers])('a chunk is in the run of the writer whose chunk counted', (history) => {
    const { file, owners } = fileOf(history);
    expect(owners.map((_, chunk) => runAt(file, chunk).id)).toEqual(owners);
  });

  test.prop([writers])('the leftovers are what was claimed and did not count, and no chunk that counts', (history) => {
    const { file, owners, strays } = fileOf(history);
    const leftovers = leftoverKeys(file);
    expect(leftovers.sort()).toEqual([...strays].sort());
    const kept = owners.map((run, chunk) => chunkKey(run, chunk));
    expect(kept.filter((key) => leftovers.includes(key))).toEqual([]);
  });

  test.prop([writers])('no number is claimed twice in a run', (history) => {
    const { owners, strays } = fileOf(history);
    const all = [...owners.map((run, chunk) => chunkKey(run, chunk)), ...strays];
    expect(new Set(all).size).toBe(all.length);
  });
});

test('a file that was never cut off is one run, named and sealed as the file', () => {
  const file = { id: fileId, runs: [] };
  expect(runAt(file, 7)).toEqual({ id: fileId, first: 0, end: null });
  expect(sealOf(dataKey, fileId, runAt(file, 7))).toEqual({ dataKey, fileId });
  expect(leftoverKeys(file)).toEqual([]);
});

test('every run has a key of its own, that the file’s key leads to', () => {
  const runs = [fileId, randomUUID(), randomUUID()].map((id) => ({ id, first: 0, end: null }));
  const seals = runs.map((run) => sealOf(dataKey, fileId, run));
  expect(new Set(seals.map((seal) => seal.dataKey.toString('hex'))).size).toBe(3);
  expect(seals.map((seal) => seal.fileId)).toEqual(runs.map((run) => run.id));
  expect(runs.map((run) => sealOf(dataKey, fileId, run))).toEqual(seals);
});

describe('a file of several runs', () => {
  const content = deterministicRandom('runs').bytes(3 * chunkBytes + 5 * segmentBytes + 3);
  const memory = memoryObjectStore();
  const [second, third] = [randomUUID(), randomUUID()];
  const file: SealedFile = {
    accountId: 'an account',
    id: fileId,
    name: 'a.bin',
    sizeBytes: content.length,
    sha256: Buffer.alloc(32),
    scan: 'clean',
    wrappedKey: dataKey,
    keyVersion: 1,
    runs: [
      { id: fileId, first: 0, end: 2 },
      { id: second, first: 1, end: 2 },
      { id: third, first: 1, end: null },
    ],
  };
  /** Writes chunks of a run, and more of the last one's than count. */
  const write = async (run: ChunkRun, bytes: Buffer, whole: boolean) => {
    const writer = new SealedWriter({
      objects: memory,
      buffers: new CountingPool(),
      seal: sealOf(dataKey, fileId, run),
      signal: new AbortController().signal,
      beforeChunk: async () => undefined,
      firstChunk: run.first,
    });
    await writer.write(bytes.subarray(run.first * chunkBytes));
    if (whole) await writer.finish();
    else await writer.pause();
    await writer.close();
  };
  const stored = (async () => {
    const [one, two, three] = file.runs as [ChunkRun, ChunkRun, ChunkRun];
    await write(one, content.subarray(0, 2 * chunkBytes), false);
    await write(two, Buffer.alloc(2 * chunkBytes, 'other bytes'), false);
    await write(three, content, true);
  })();

  test('is read as one', async () => {
    await stored;
    expect((await openFile(memory, file)).equals(content)).toBe(true);
    expect(memory.objects.size).toBe(6);
    await memory.delete(leftoverKeys(file));
    expect([...memory.objects.keys()].sort()).toEqual(
      [chunkKey(fileId, 0), chunkKey(third, 1), chunkKey(third, 2), chunkKey(third, 3)].sort(),
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

  test('is damaged when one run’s chunk stands in another’s place', async () => {
    await stored;
    const swapped = { ...memory, read: memory.read };
    swapped.read = (key, ...rest) => memory.read(key === chunkKey(fileId, 0) ? chunkKey(third, 2) : key, ...rest);
    expect(await outcomeOf(openFile(swapped, file))).toBe('damaged');
    const unlisted = { ...file, runs: file.runs.slice(0, 1) };
    expect(await outcomeOf(openFile(memory, unlisted))).toBe('damaged');
  });
});
