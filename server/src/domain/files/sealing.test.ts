import { randomBytes } from 'node:crypto';
import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { memoryObjectStore } from '../../../test/memory/memory-object-store.ts';
import { deterministicRandom } from '../../../test/random.ts';
import { chunkCount, listObjectKeys, openFile, sealFile } from '../../../test/sealed-file.ts';
import {
  chunkBytes,
  chunkKey,
  openSegment,
  sealedSegmentBytes,
  sealSegment,
  segmentBytes,
  segmentCount,
  tagBytes,
} from './sealing.ts';

const makePlaintext = (length: number) => deterministicRandom(`plaintext of ${length}`).bytes(length);

describe('one segment', () => {
  const seal = { dataKey: Buffer.alloc(32, 7), fileId: '0190d5c8-0000-7000-8000-000000000000' };

  test('is sealed in this very form, so that files of today are read tomorrow', () => {
    const target = Buffer.alloc(5 + tagBytes);
    sealSegment(seal, 3, true, Buffer.from('hello'), target, 0);
    expect(target.toString('hex')).toBe('a24c8bf2ce26eaac3f25a5df67cb97ec9ca802df61');
  });

  test.each([
    ['number', { ...seal }, 4, true],
    ['last flag', { ...seal }, 3, false],
    ['file', { ...seal, fileId: '0190d5c8-0000-7000-8000-000000000001' }, 3, true],
    ['key', { ...seal, dataKey: Buffer.alloc(32, 8) }, 3, true],
  ] as const)('does not open with another %s', (_what, otherSeal, number, last) => {
    const target = Buffer.alloc(5 + tagBytes);
    sealSegment(seal, 3, true, Buffer.from('hello'), target, 0);
    expect(openSegment(seal, 3, true, target).toString()).toBe('hello');
    expect(() => openSegment(otherSeal, number, last, target)).toThrow();
  });

  test('does not open when it is shorter than a tag', () => {
    expect(() => openSegment(seal, 0, true, Buffer.alloc(tagBytes - 1))).toThrow();
  });
});

test.each([
  [0, 1, 1],
  [1, 1, 1],
  [segmentBytes, 1, 1],
  [segmentBytes + 1, 2, 1],
  [chunkBytes, 128, 1],
  [chunkBytes + 1, 129, 2],
  [2 * 1024 ** 4, 2 ** 25, 2 ** 18],
])('%i bytes are %i segments in %i chunks', (sizeBytes, segments, chunks) => {
  expect(segmentCount(sizeBytes)).toBe(segments);
  expect(chunkCount(sizeBytes)).toBe(chunks);
});

test('keys sort in the order of their chunks and hold nothing but the id', () => {
  expect(chunkKey('id', 7)).toBe('id/00000007');
  expect([chunkKey('id', 100), chunkKey('id', 99)].toSorted()).toEqual([chunkKey('id', 99), chunkKey('id', 100)]);
});

describe('a file', () => {
  test.each([
    0,
    1,
    segmentBytes - 1,
    segmentBytes,
    segmentBytes + 1,
    chunkBytes - 1,
    chunkBytes,
    chunkBytes + 1,
    2 * chunkBytes,
    2 * chunkBytes + segmentBytes + 5,
  ])('of %i bytes comes back as it was, and only that', async (length) => {
    const objects = memoryObjectStore();
    const plaintext = makePlaintext(length);
    const file = await sealFile(objects, plaintext);
    expect((await openFile(objects, file)).equals(plaintext)).toBe(true);
    expect([...objects.objects.keys()]).toEqual(listObjectKeys(file));
    const stored = [...objects.objects.values()].reduce((sum, object) => sum + object.length, 0);
    expect(stored).toBe(length + segmentCount(length) * tagBytes);
  });

  const length = 2 * chunkBytes + 3 * segmentBytes + 17;
  const plaintext = makePlaintext(length);
  const objects = memoryObjectStore();
  const sealed = sealFile(objects, plaintext);
  const border = fc.constantFrom(0, segmentBytes, chunkBytes, 2 * chunkBytes, length);
  const offset = fc
    .oneof(
      fc.integer({ min: 0, max: length }),
      fc.tuple(border, fc.integer({ min: -2, max: 2 })).map(([at, by]) => at + by),
    )
    .map((at) => Math.min(Math.max(at, 0), length));

  test.prop([offset, offset], { numRuns: 20 })('reads any range as the slice it is', async (one, other) => {
    const range = { start: Math.min(one, other), end: Math.max(one, other) };
    const read = await openFile(objects, await sealed, range);
    expect(read.equals(plaintext.subarray(range.start, range.end))).toBe(true);
  });

  test.prop([fc.integer({ min: 1, max: 200_000 }), fc.nat(400_000)], {
    numRuns: 15,
  })('does not depend on how its bytes are cut up on the way', async (written, size) => {
    const whole = memoryObjectStore();
    const pieces = memoryObjectStore();
    const bytes = makePlaintext(size);
    await sealFile(whole, bytes);
    const file = await sealFile(pieces, bytes, { pieceBytes: written });
    expect(pieces.objects).toEqual(whole.objects);
    expect((await openFile(pieces, file)).equals(bytes)).toBe(true);
  });

  test('shows nothing of its plaintext in what is stored', async () => {
    const store = memoryObjectStore();
    const file = await sealFile(store, Buffer.alloc(segmentBytes * 2, 'the same line again and again '));
    const [object] = [...store.objects.values()] as [Buffer];
    expect(object.includes('the same line')).toBe(false);
    const [first, second] = [object.subarray(0, segmentBytes), object.subarray(sealedSegmentBytes, -tagBytes)];
    expect(first.equals(second)).toBe(false);
    expect(file.sizeBytes).toBe(segmentBytes * 2);
  });
});

test('two files of the same content have nothing in common', async () => {
  const objects = memoryObjectStore();
  const content = randomBytes(1000);
  const [one, other] = [await sealFile(objects, content), await sealFile(objects, content, { seed: 'another file' })];
  const stored = (key: string | undefined) => objects.objects.get(key as string) as Buffer;
  expect(stored(listObjectKeys(one)[0]).equals(stored(listObjectKeys(other)[0]))).toBe(false);
});
