import { Readable } from 'node:stream';
import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { type MemoryObjectStore, memoryObjectStore } from '../../testing/memory-object-store.ts';
import { deterministicRandom } from '../../testing/random.ts';
import { bareKeys, keysOf, openFile, outcomeOf, sealFile } from '../../testing/sealed-file.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { ObjectStore } from '../ports.ts';
import { readSealed } from './read-sealed.ts';
import { chunkBytes, sealedChunkBytes, sealedSegmentBytes, segmentBytes } from './sealing.ts';

const length = 2 * chunkBytes + 3 * segmentBytes + 17;
const plaintext = deterministicRandom('plaintext').bytes(length);
const memory: MemoryObjectStore = memoryObjectStore();
const sealed = sealFile(memory, plaintext);
const live = new AbortController().signal;

interface Opening {
  readonly key: string;
  readonly offset: number;
  readonly stream: Readable;
}

/** The store, with connections that break: `breakAfter` says after how many bytes the nth opening does. */
function breaking(
  breakAfter: (opening: number, key: string) => number | undefined,
): ObjectStore & { openings: Opening[] } {
  const openings: Opening[] = [];
  let opening = 0;
  return {
    ...memory,
    openings,
    async read(key, part, signal) {
      const bytes = breakAfter(opening++, key);
      const whole = await memory.read(key, part, signal);
      const stream = bytes === undefined ? whole : Readable.from(cutAfter(whole, bytes), { objectMode: false });
      openings.push({ key, offset: part.offset, stream });
      return stream;
    },
  };
}

async function* cutAfter(stream: Readable, bytes: number): AsyncGenerator<Buffer> {
  let left = bytes;
  for await (const piece of stream as AsyncIterable<Buffer>) {
    if (left > 0) yield piece.subarray(0, left);
    left -= piece.length;
    if (left <= 0) throw new Error('ECONNRESET');
  }
}

const allClosed = (openings: readonly Opening[]) => openings.every(({ stream }) => stream.destroyed);

describe('a connection that breaks', () => {
  test.prop([fc.array(fc.nat(sealedChunkBytes - 1), { minLength: 1, maxLength: 6 })], { numRuns: 20 })(
    'is taken up again where it broke, and every byte is right',
    async (breaks) => {
      const objects = breaking((opening) => (opening % 2 === 0 ? breaks[opening / 2] : undefined));
      const read = await openFile(objects, await sealed);
      expect(read.equals(plaintext)).toBe(true);
      await expect.poll(() => allClosed(objects.openings)).toBe(true);
    },
  );

  test('is taken up at the segment it broke in, not at the beginning', async () => {
    const file = await sealed;
    const [first] = keysOf(file) as [string];
    const objects = breaking((opening) => (opening === 0 ? 5 * sealedSegmentBytes + 100 : undefined));
    await openFile(objects, file);
    const offsets = objects.openings.filter(({ key }) => key === first).map(({ offset }) => offset);
    expect(offsets).toEqual([0, 5 * sealedSegmentBytes]);
  });

  test('leaves no other connection open behind it', async () => {
    const objects = breaking((opening) => (opening === 0 ? 5 * sealedSegmentBytes : undefined));
    await openFile(objects, await sealed);
    await expect.poll(() => allClosed(objects.openings)).toBe(true);
    // Three chunks and one resumption: nothing is opened twice for want of remembering it.
    expect(objects.openings).toHaveLength(4);
  });

  test('is given up after three times without progress', async () => {
    const [first] = keysOf(await sealed) as [string];
    const objects = breaking((_opening, key) => (key === first ? 10 : undefined));
    expect(await outcomeOf(openFile(objects, await sealed))).toBe('unavailable');
    expect(objects.openings.filter(({ key }) => key === first)).toHaveLength(3);
    await expect.poll(() => allClosed(objects.openings)).toBe(true);
  });

  test('may break as often as it likes while it makes progress', async () => {
    const objects = breaking(() => 10 * sealedSegmentBytes + 1);
    const read = await openFile(objects, await sealed);
    expect(read.equals(plaintext)).toBe(true);
    expect(objects.openings.length).toBeGreaterThan(25);
  });

  test('that was opened ahead and broke before its turn ends nothing', async () => {
    const file = await sealed;
    // A plain stream: an error that nobody listens for would end the process.
    const objects = breaking((opening) => (opening === 1 ? Number.POSITIVE_INFINITY : undefined));
    const reading = readSealed({ objects, keys: bareKeys }, file, { start: 0, end: length }, live);
    const read = [(await reading.next()).value as Buffer];
    const ahead = objects.openings[1] as Opening;
    expect(ahead.key).toBe(keysOf(file)[1]);
    ahead.stream.destroy(new Error('ECONNRESET'));
    await expect.poll(() => ahead.stream.closed).toBe(true);
    for await (const bytes of reading) read.push(bytes);
    expect(Buffer.concat(read).equals(plaintext)).toBe(true);
  });
});

test('an object ending early by its own account is damage and not asked for again', async () => {
  const file = await sealed;
  let asked = 0;
  const objects: ObjectStore = {
    ...memory,
    async read(key, { offset }) {
      asked += 1;
      return Readable.from([(memory.objects.get(key) as Buffer).subarray(offset, offset + 1000)], {
        objectMode: false,
      });
    },
  };
  expect(await outcomeOf(openFile(objects, file, { start: 0, end: 10 }))).toBe('damaged');
  expect(asked).toBe(1);
});

test('a store that is away is said to be away at once', async () => {
  const objects: ObjectStore = { ...memory, read: async () => Promise.reject(new ExchangeError('unavailable')) };
  expect(await outcomeOf(openFile(objects, await sealed))).toBe('unavailable');
});

test('reads no further ahead than the next chunk, and nothing outside the range', async () => {
  const file = await sealed;
  const objects = breaking(() => undefined);
  const reading = readSealed(
    { objects, keys: bareKeys },
    file,
    { start: 0, end: length },
    new AbortController().signal,
  );
  await reading.next();
  expect(objects.openings.map(({ key }) => key)).toEqual(keysOf(file).slice(0, 2));
  await reading.return();
  await expect.poll(() => allClosed(objects.openings)).toBe(true);

  const inside = breaking(() => undefined);
  await openFile(inside, file, { start: chunkBytes + segmentBytes, end: chunkBytes + segmentBytes + 1 });
  expect(inside.openings.map(({ key, offset }) => ({ key, offset }))).toEqual([
    { key: keysOf(file)[1], offset: sealedSegmentBytes },
  ]);
});

test('stops when the reader is gone', async () => {
  const gone = new AbortController();
  const objects = breaking(() => undefined);
  const reading = readSealed({ objects, keys: bareKeys }, await sealed, { start: 0, end: length }, gone.signal);
  await reading.next();
  gone.abort();
  await expect(
    (async () => {
      for await (const _ of reading);
    })(),
  ).rejects.toThrow();
  await expect.poll(() => allClosed(objects.openings)).toBe(true);
});
