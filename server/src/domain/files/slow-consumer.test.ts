import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { memoryObjectStore } from '../../../test/memory/memory-object-store.ts';
import { deterministicRandom } from '../../../test/random.ts';
import { bareKeys, sealFile } from '../../../test/sealed-file.ts';
import { createDownloadLimits } from '../flow/download-limits.ts';
import type { ObjectStore } from '../ports/object-store.ts';
import { readSealed } from './read-sealed.ts';
import { chunkBytes, sealedSegmentBytes, segmentBytes } from './sealing.ts';

const plaintext = deterministicRandom('plaintext').bytes(2 * chunkBytes + 3 * segmentBytes + 17);
const memory = memoryObjectStore();
const sealed = sealFile(memory, plaintext);
const live = new AbortController().signal;
const aheadBytes = 100 * 1024 ** 2;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A reader of the whole file; after `hangsAfter` reads, the store stops responding. */
async function reader(hangsAfter = Number.POSITIVE_INFINITY) {
  const reads: { length: number; isOpen: boolean }[] = [];
  const objects: ObjectStore = {
    ...memory,
    async read(key, part, signal) {
      const read = { length: part.length, isOpen: true };
      reads.push(read);
      if (reads.length <= hangsAfter) {
        read.isOpen = false;
        return memory.read(key, part, signal);
      }
      return new Promise<Buffer>((_, reject) =>
        signal.addEventListener('abort', () => {
          read.isOpen = false;
          reject(signal.reason as Error);
        }),
      );
    },
  };
  const file = await sealed;
  const downloads = createDownloadLimits(aheadBytes);
  const reading = readSealed(
    { objects, dayKeys: bareKeys, downloads },
    file,
    { start: 0, end: plaintext.length },
    live,
  );
  const isBack = () => downloads.memory.heldBytes === 0;
  return { reads, reading, downloads, isBack };
}

const open = (reads: readonly { isOpen: boolean }[]) => reads.filter(({ isOpen }) => isOpen);

test('who makes us wait holds no connection to the store and no memory for reading ahead meanwhile', async () => {
  // The third read is the first one ahead of the reader.
  const { reads, reading, isBack } = await reader(2);
  for (let segment = 0; segment < 4; segment += 1) await reading.next();
  expect([open(reads).length, isBack()]).toEqual([1, false]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect([open(reads), isBack()]).toEqual([[], true]);
  await reading.return();
});

test('who pauses in a large piece has its rest read again, and every byte is right', async () => {
  const { reads, reading, isBack } = await reader();
  const read: Buffer[] = [];
  for await (const bytes of reading) {
    read.push(Buffer.from(bytes));
    // Occasionally, at a different place in the pieces every time.
    if (read.length % 37 === 0) await vi.advanceTimersByTimeAsync(1_500);
  }
  expect(Buffer.concat(read).equals(plaintext)).toBe(true);
  expect(reads.length).toBeLessThan(60);
  expect(isBack()).toBe(true);
});

test('who is slow throughout gets every byte right, fetched in small pieces', async () => {
  const { reads, reading, isBack } = await reader();
  const read: Buffer[] = [];
  for await (const bytes of reading) {
    read.push(Buffer.from(bytes));
    await vi.advanceTimersByTimeAsync(1_500);
    expect([open(reads), isBack()]).toEqual([[], true]);
  }
  expect(Buffer.concat(read).equals(plaintext)).toBe(true);
  for (const { length } of reads) expect(length).toBeLessThanOrEqual(3 * sealedSegmentBytes);
});

test('who is slower still is given two segments at a time, and holds none that it was already sent', async () => {
  const { reads, reading } = await reader();
  const allocated = vi.spyOn(Buffer, 'allocUnsafeSlow');
  const held = () => allocated.mock.results.filter(({ value }) => (value as Buffer).byteLength > 0);
  const read: Buffer[] = [];
  for (let count = 1; count <= 20; count += 1) {
    read.push(Buffer.from((await reading.next()).value as Buffer));
    // The second segment of two, while the first is sent.
    expect(held()).toHaveLength(count % 2);
    await vi.advanceTimersByTimeAsync(6_000);
  }
  await reading.return();
  allocated.mockRestore();
  expect(Buffer.concat(read).equals(plaintext.subarray(0, 20 * segmentBytes))).toBe(true);
  expect(reads.map(({ length }) => length)).toEqual(Array.from({ length: 10 }, () => 2 * sealedSegmentBytes));
});

test('who was slow for a while is served in large pieces again', async () => {
  const { reads, reading } = await reader();
  const read: Buffer[] = [];
  for await (const bytes of reading) {
    read.push(Buffer.from(bytes));
    if (read.length <= 10) await vi.advanceTimersByTimeAsync(1_500);
  }
  expect(Buffer.concat(read).equals(plaintext)).toBe(true);
  // Slow for 10 of 259 segments: the rest must not be fetched in threes.
  expect(reads.length).toBeLessThan(20);
  expect(Math.max(...reads.map(({ length }) => length))).toBe(128 * sealedSegmentBytes);
});

test('who has to wait for a turn is not slow: its piece is kept, and every byte is right', async () => {
  const { reads, reading, downloads } = await reader();
  const read: Buffer[] = [];
  vi.spyOn(downloads.turns, 'waitForTurn').mockImplementation(() =>
    // In the middle of a large piece.
    read.length % 50 === 49 ? new Promise((resolve) => setTimeout(resolve, 1_500)) : undefined,
  );
  const all = (async () => {
    for await (const bytes of reading) read.push(Buffer.from(bytes));
  })();
  // Each of the five waits.
  for (let wait = 0; wait < 10; wait++) await vi.advanceTimersByTimeAsync(1_500);
  await all;
  expect(Buffer.concat(read).equals(plaintext)).toBe(true);
  const stored = [...memory.objects.values()].reduce((sum, object) => sum + object.length, 0);
  expect(reads.reduce((sum, { length }) => sum + length, 0)).toBe(stored);
});

test('who keeps up has every byte fetched once, and leaves no timer behind', async () => {
  const { reads, reading, isBack } = await reader();
  for await (const _ of reading) expect(vi.getTimerCount()).toBeLessThanOrEqual(1);
  const stored = [...memory.objects.values()].reduce((sum, object) => sum + object.length, 0);
  expect(reads.reduce((sum, { length }) => sum + length, 0)).toBe(stored);
  expect([vi.getTimerCount(), isBack()]).toEqual([0, true]);
});

test('who leaves in the middle leaves no timer, no connection and no memory behind', async () => {
  const { reads, reading, isBack } = await reader(2);
  for (let segment = 0; segment < 4; segment += 1) await reading.next();
  await reading.return();
  await vi.advanceTimersByTimeAsync(0);
  expect([vi.getTimerCount(), open(reads), isBack()]).toEqual([0, [], true]);
});

describe('a reader of 128 MiB at 8 MiB in 24 ms', () => {
  const content = Buffer.alloc(16 * chunkBytes);
  const store = memoryObjectStore();
  const stored = sealFile(store, content);

  /** How long it takes, and how much memory it held at most, with this time to the first byte of each read. */
  async function timed(firstByteMs: number, bytes: number): Promise<{ ms: number; heldBytes: number }> {
    const objects: ObjectStore = {
      ...store,
      firstByteMs,
      async read(key, part, signal) {
        await new Promise((resolve) => setTimeout(resolve, firstByteMs));
        return store.read(key, part, signal);
      },
    };
    const downloads = createDownloadLimits(bytes);
    const range = { start: 0, end: content.length };
    const reading = readSealed({ objects, dayKeys: bareKeys, downloads }, await stored, range, live);
    let [segments, heldBytes] = [0, 0];
    const over = new AbortController();
    const all = (async () => {
      for await (const _ of reading) {
        segments += 1;
        heldBytes = Math.max(heldBytes, downloads.memory.heldBytes);
        if (segments % 16 === 0) await new Promise((resolve) => setTimeout(resolve, 3));
      }
      over.abort();
    })();
    const began = performance.now();
    while (!over.signal.aborted) await vi.advanceTimersByTimeAsync(1);
    await all;
    expect(downloads.memory.heldBytes).toBe(0);
    return { ms: performance.now() - began, heldBytes };
  }

  test('hardly waits for a store that takes 50 ms to the first byte: enough is on its way', async () => {
    const [near, distant] = [await timed(1, aheadBytes), await timed(50, aheadBytes)];
    expect(near.ms / distant.ms).toBeGreaterThan(0.6);
    // Two objects: the one that it is given, and the next.
    expect(near.heldBytes).toBeLessThanOrEqual(2 * chunkBytes);
  });

  test.each([0, 1, 40])('holds no more than the %i MiB that there are', async (mebibytes) => {
    const bytes = mebibytes * 1024 ** 2;
    expect((await timed(200, bytes)).heldBytes).toBeLessThanOrEqual(bytes);
  });
});
