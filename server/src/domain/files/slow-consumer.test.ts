import type { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { memoryObjectStore } from '../../testing/memory-object-store.ts';
import { deterministicRandom } from '../../testing/random.ts';
import { bareKeys, sealFile } from '../../testing/sealed-file.ts';
import type { ObjectStore } from '../ports.ts';
import { readSealed } from './read-sealed.ts';
import { chunkBytes, sealedSegmentBytes, segmentBytes } from './sealing.ts';

const plaintext = deterministicRandom('plaintext').bytes(2 * chunkBytes + 3 * segmentBytes + 17);
const memory = memoryObjectStore();
const sealed = sealFile(memory, plaintext);
const live = new AbortController().signal;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

async function reader() {
  const openings: { length: number; stream: Readable }[] = [];
  const objects: ObjectStore = {
    ...memory,
    async read(key, part, signal) {
      const stream = await memory.read(key, part, signal);
      openings.push({ length: part.length, stream });
      return stream;
    },
  };
  const file = await sealed;
  const reading = readSealed({ objects, keys: bareKeys }, file, { start: 0, end: plaintext.length }, live);
  return { openings, reading };
}

const open = (openings: readonly { stream: Readable }[]) => openings.filter(({ stream }) => !stream.destroyed);

test('who makes us wait holds no connection to the store meanwhile', async () => {
  const { openings, reading } = await reader();
  await reading.next();
  expect(open(openings)).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(open(openings)).toEqual([]);
  await reading.return();
});

test('who is slow throughout gets every byte right, fetched in small pieces', async () => {
  const { openings, reading } = await reader();
  const read: Buffer[] = [];
  for await (const bytes of reading) {
    read.push(Buffer.from(bytes));
    await vi.advanceTimersByTimeAsync(1_500);
    expect(open(openings)).toEqual([]);
  }
  expect(Buffer.concat(read).equals(plaintext)).toBe(true);
  for (const { length } of openings.slice(2)) expect(length).toBeLessThanOrEqual(4 * sealedSegmentBytes);
});

test('who was slow for a while is served in whole chunks again', async () => {
  const { openings, reading } = await reader();
  const read: Buffer[] = [];
  for await (const bytes of reading) {
    read.push(Buffer.from(bytes));
    if (read.length <= 10) await vi.advanceTimersByTimeAsync(1_500);
  }
  expect(Buffer.concat(read).equals(plaintext)).toBe(true);
  // Slow for 10 segments of 259: not fetched in fours to the end.
  expect(openings.length).toBeLessThan(15);
});

test('who keeps up opens each chunk once, and leaves no timer behind', async () => {
  const { openings, reading } = await reader();
  for await (const _ of reading) expect(vi.getTimerCount()).toBeLessThanOrEqual(1);
  expect(openings).toHaveLength(3);
  expect(vi.getTimerCount()).toBe(0);
});

test('who leaves in the middle leaves no timer and no connection behind', async () => {
  const { openings, reading } = await reader();
  await reading.next();
  await reading.return();
  await vi.advanceTimersByTimeAsync(0);
  expect(vi.getTimerCount()).toBe(0);
  await vi.waitFor(() => expect(open(openings)).toEqual([]));
});
