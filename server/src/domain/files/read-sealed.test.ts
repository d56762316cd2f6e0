import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { type MemoryObjectStore, memoryObjectStore } from '../../../test/memory/memory-object-store.ts';
import { deterministicRandom } from '../../../test/random.ts';
import { bareKeys, describeOutcome, listObjectKeys, openFile, sealFile } from '../../../test/sealed-file.ts';
import { ExchangeError } from '../exchange-error.ts';
import { createDownloadLimits, type DownloadLimits } from '../flow/download-limits.ts';
import type { ObjectStore } from '../ports/object-store.ts';
import { readSealed } from './read-sealed.ts';
import { chunkBytes, sealedSegmentBytes, segmentBytes, segmentCount, tagBytes } from './sealing.ts';

const length = 2 * chunkBytes + 3 * segmentBytes + 17;
const plaintext = deterministicRandom('plaintext').bytes(length);
const memory: MemoryObjectStore = memoryObjectStore();
const sealed = sealFile(memory, plaintext);
const live = new AbortController().signal;
const aheadBytes = 100 * 1024 ** 2;

interface Read {
  readonly key: string;
  readonly offset: number;
  readonly length: number;
  readonly signal: AbortSignal;
}

/** The store, which records what it was asked for; `response` may replace a response. */
function watched(response: (read: Read, nth: number) => Promise<Buffer> | undefined = () => undefined) {
  const reads: Read[] = [];
  const objects: ObjectStore = {
    ...memory,
    read(key, part, signal) {
      const read = { key, ...part, signal };
      reads.push(read);
      return response(read, reads.length - 1) ?? memory.read(key, part, signal);
    },
  };
  return { reads, objects };
}

const untilAborted = ({ signal }: Read) =>
  new Promise<Buffer>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));

/** All memory that was lent for reading ahead has been returned. */
const isBack = (downloads: DownloadLimits) => downloads.memory.heldBytes === 0;

async function start(objects: ObjectStore, downloads = createDownloadLimits(aheadBytes), signal = live) {
  const file = await sealed;
  return {
    file,
    downloads,
    reading: readSealed({ objects, dayKeys: bareKeys, downloads }, file, { start: 0, end: length }, signal),
  };
}

async function rest(reading: AsyncIterable<Buffer>): Promise<Buffer> {
  const read: Buffer[] = [];
  for await (const bytes of reading) read.push(Buffer.from(bytes));
  return Buffer.concat(read);
}

test('asks for every byte once, in pieces that grow, and gives all memory back', async () => {
  const { reads, objects } = watched();
  const { file, reading, downloads } = await start(objects);
  expect((await rest(reading)).equals(plaintext)).toBe(true);
  const asked = listObjectKeys(file).map((key) => reads.filter((read) => read.key === key));
  for (const [chunk, parts] of asked.entries()) {
    let end = 0;
    for (const part of parts) {
      expect(part.offset).toBe(end);
      end += part.length;
    }
    expect(end).toBe(memory.objects.get(listObjectKeys(file)[chunk] as string)?.length);
  }
  expect(reads[0]?.length).toBe(2 * sealedSegmentBytes);
  expect(Math.max(...reads.map((read) => read.length))).toBeLessThanOrEqual(128 * sealedSegmentBytes);
  expect(reads.length).toBeLessThan(20);
  expect(isBack(downloads)).toBe(true);
});

test('reads everything, in small pieces, when there is no memory for reading ahead', async () => {
  const { reads, objects } = watched();
  const { reading, downloads } = await start(objects, createDownloadLimits(0));
  expect((await rest(reading)).equals(plaintext)).toBe(true);
  expect(Math.max(...reads.map((read) => read.length))).toBe(3 * sealedSegmentBytes);
  expect(downloads.memory.acquire(1, 1)).toBe(0);
});

test.prop([fc.integer({ min: 0, max: 12 * segmentBytes }), fc.nat(40)], { numRuns: 15 })(
  'never uses more memory for reading ahead than there is, however many read',
  async (bytes, taken) => {
    const downloads = createDownloadLimits(bytes);
    const readings = await Promise.all([0, 1, 2].map(() => start(watched().objects, downloads)));
    for (const { reading } of readings) {
      for (let nth = 0; nth < taken; nth += 1) await reading.next();
      await reading.return();
    }
    expect(downloads.memory.heldBytes).toBe(0);
  },
);

describe('a piece that was asked for ahead', () => {
  test('and failed before its turn ends nothing before its turn', async () => {
    const failedAt = 2;
    const { reads, objects } = watched((_read, nth) =>
      nth >= failedAt ? Promise.reject(new ExchangeError('unavailable')) : undefined,
    );
    const { reading, downloads } = await start(objects);
    const read: Buffer[] = [];
    const ended = (async () => {
      for await (const bytes of reading) {
        read.push(Buffer.from(bytes));
        // If it were unhandled, the failure would have ended the process by now.
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    await expect(ended).rejects.toMatchObject({ code: 'unavailable' });
    // Everything before it arrived, and was correct.
    const before = (reads[0]?.length as number) + (reads[1]?.length as number);
    expect(read).toHaveLength(before / sealedSegmentBytes);
    expect(Buffer.concat(read).equals(plaintext.subarray(0, read.length * segmentBytes))).toBe(true);
    expect(isBack(downloads)).toBe(true);
  });

  test('is not waited for by who has not read what lies before', async () => {
    const { reads, objects } = watched((read, nth) => (nth >= 2 ? untilAborted(read) : undefined));
    const { reading, downloads } = await start(objects);
    for (let segment = 0; segment < 6; segment += 1) {
      expect(
        (await reading.next()).value?.equals(plaintext.subarray(segment * segmentBytes, (segment + 1) * segmentBytes)),
      ).toBe(true);
    }
    expect(reads).toHaveLength(3);
    await reading.return();
    expect([reads[2]?.signal.aborted, isBack(downloads)]).toEqual([true, true]);
  });
});

test('an object that is too short is damage, and not asked for again', async () => {
  const file = await sealed;
  const { reads, objects } = watched(() => Promise.reject(new ExchangeError('damaged')));
  expect(await describeOutcome(openFile(objects, file, { start: 0, end: 10 }))).toBe('damaged');
  expect(reads).toHaveLength(1);
});

test('a store that is away is said to be away at once', async () => {
  const { reads, objects } = watched(() => Promise.reject(new ExchangeError('unavailable')));
  expect(await describeOutcome(openFile(objects, await sealed))).toBe('unavailable');
  expect(reads).toHaveLength(1);
});

describe('reads no further than it must', () => {
  test('for a reader that has just begun', async () => {
    const { reads, objects } = watched();
    const { file, reading } = await start(objects);
    await reading.next();
    expect(reads.map(({ key, offset, length: bytes }) => ({ key, offset, bytes }))).toEqual([
      { key: listObjectKeys(file)[0], offset: 0, bytes: 2 * sealedSegmentBytes },
    ]);
    await reading.return();
  });

  const range = fc
    .tuple(fc.nat(length - 1), fc.integer({ min: 1, max: 3 * segmentBytes }))
    .map(([from, bytes]) => ({ start: from, end: Math.min(length, from + bytes) }));
  test.prop([range], { numRuns: 30 })('for a range', async ({ start: from, end }) => {
    const { reads, objects } = watched();
    expect((await openFile(objects, await sealed, { start: from, end })).equals(plaintext.subarray(from, end))).toBe(
      true,
    );
    const [first, last] = [Math.floor(from / segmentBytes), Math.ceil(end / segmentBytes)];
    const wanted = Math.min(last * segmentBytes, length) - first * segmentBytes + (last - first) * tagBytes;
    expect(reads.reduce((sum, read) => sum + read.length, 0)).toBe(wanted);
    expect(last).toBeLessThanOrEqual(segmentCount(length));
  });

  test('for one byte', async () => {
    const { reads, objects } = watched();
    const file = await sealed;
    await openFile(objects, file, { start: chunkBytes + segmentBytes, end: chunkBytes + segmentBytes + 1 });
    expect(reads.map(({ key, offset, length: bytes }) => ({ key, offset, bytes }))).toEqual([
      { key: listObjectKeys(file)[1], offset: sealedSegmentBytes, bytes: sealedSegmentBytes },
    ]);
  });
});

test('stops when the reader is gone, and asks the store for nothing any more', async () => {
  const gone = new AbortController();
  const { reads, objects } = watched((read, nth) => (nth === 1 ? untilAborted(read) : undefined));
  const { reading, downloads } = await start(objects, undefined, gone.signal);
  for (let segment = 0; segment < 2; segment += 1) await reading.next();
  const next = expect(reading.next()).rejects.toThrow('gone');
  await expect.poll(() => reads.length).toBe(2);
  gone.abort(new Error('gone'));
  await next;
  expect(reads).toHaveLength(2);
  expect(isBack(downloads)).toBe(true);
});
