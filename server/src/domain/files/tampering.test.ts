import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { type MemoryObjectStore, memoryObjectStore } from '../../../test/memory/memory-object-store.ts';
import { deterministicRandom } from '../../../test/random.ts';
import { describeOutcome, listObjectKeys, openFile, sealFile } from '../../../test/sealed-file.ts';
import type { SealedFile } from './file-store.ts';
import { chunkBytes, sealedSegmentBytes, segmentBytes } from './sealing.ts';

/** Three segments, the last one short. */
const small = 2 * segmentBytes + 1000;
const plaintext = deterministicRandom('plaintext').bytes(small);

async function sealed(bytes = plaintext, seed = 'a file') {
  const objects = memoryObjectStore();
  const file = await sealFile(objects, bytes, { seed });
  return { objects, file };
}

function change(objects: MemoryObjectStore, file: SealedFile, edit: (object: Buffer) => Buffer, chunk = 0): void {
  const key = listObjectKeys(file)[chunk] as string;
  objects.objects.set(key, edit(Buffer.from(objects.objects.get(key) as Buffer)));
}

describe('what is stored and no longer what was sealed is damaged, never other bytes', () => {
  const sealedLength = 3 * sealedSegmentBytes - segmentBytes + 1000;

  test.prop([fc.nat(sealedLength - 1), fc.nat(7)], { numRuns: 60 })('a flipped bit', async (at, bit) => {
    const { objects, file } = await sealed();
    change(objects, file, (object) => {
      object[at] = (object[at] as number) ^ (1 << bit);
      return object;
    });
    expect(await describeOutcome(openFile(objects, file))).toBe('damaged');
  });

  test.prop([fc.nat(sealedLength - 1)], { numRuns: 60 })('a lost end', async (length) => {
    const { objects, file } = await sealed();
    change(objects, file, (object) => object.subarray(0, length));
    expect(await describeOutcome(openFile(objects, file))).toBe('damaged');
  });

  test.prop([fc.nat(sealedLength - 1), fc.integer({ min: 1, max: 70_000 })], { numRuns: 60 })(
    'bytes lost or put in anywhere before the end',
    async (at, count) => {
      const { objects, file } = await sealed();
      change(objects, file, (object) =>
        Buffer.concat([object.subarray(0, at), Buffer.alloc(count), object.subarray(at)]),
      );
      expect(await describeOutcome(openFile(objects, file))).toBe('damaged');
      const other = await sealed();
      change(other.objects, other.file, (object) =>
        Buffer.concat([object.subarray(0, at), object.subarray(at + count)]),
      );
      expect(await describeOutcome(openFile(other.objects, other.file))).toBe('damaged');
    },
  );

  test('two segments in each other’s place', async () => {
    const { objects, file } = await sealed();
    change(objects, file, (object) =>
      Buffer.concat([
        object.subarray(sealedSegmentBytes, 2 * sealedSegmentBytes),
        object.subarray(0, sealedSegmentBytes),
        object.subarray(2 * sealedSegmentBytes),
      ]),
    );
    expect(await describeOutcome(openFile(objects, file))).toBe('damaged');
  });

  test('a row that says the file is shorter or longer than it is', async () => {
    const { objects, file } = await sealed();
    for (const sizeBytes of [
      0,
      1,
      segmentBytes,
      2 * segmentBytes,
      small - 1,
      small + 1,
      3 * segmentBytes,
      chunkBytes,
    ]) {
      expect(await describeOutcome(openFile(objects, { ...file, sizeBytes }))).toBe('damaged');
    }
  });

  test('an object that is gone', async () => {
    const { objects, file } = await sealed();
    objects.objects.clear();
    expect(await describeOutcome(openFile(objects, file))).toBe('damaged');
  });

  test('another file’s object, also of the same content, under the same key or another', async () => {
    const { objects, file } = await sealed();
    const other = await sealed(plaintext, 'another file');
    change(objects, file, () => other.objects.objects.get(listObjectKeys(other.file)[0] as string) as Buffer);
    expect(await describeOutcome(openFile(objects, file))).toBe('damaged');
    expect(await describeOutcome(openFile(objects, { ...file, wrappedKey: other.file.wrappedKey }))).toBe('damaged');
  });

  test('the right object under another file’s id', async () => {
    const { objects, file } = await sealed();
    const other = { ...file, id: '00000000-0000-4000-8000-000000000000' };
    objects.objects.set(
      listObjectKeys(other)[0] as string,
      objects.objects.get(listObjectKeys(file)[0] as string) as Buffer,
    );
    expect(await describeOutcome(openFile(objects, other))).toBe('damaged');
  });

  test('two chunks in each other’s place, or one of them twice', async () => {
    const { objects, file } = await sealed(deterministicRandom('three chunks').bytes(2 * chunkBytes + 1));
    const [first, second] = listObjectKeys(file) as [string, string];
    const [one, two] = [objects.objects.get(first) as Buffer, objects.objects.get(second) as Buffer];
    objects.objects.set(first, two);
    expect(await describeOutcome(openFile(objects, file))).toBe('damaged');
    objects.objects.set(second, one);
    expect(await describeOutcome(openFile(objects, file))).toBe('damaged');
    objects.objects.set(first, one);
    expect(await describeOutcome(openFile(objects, file))).toBe('damaged');
    objects.objects.set(second, two);
    expect(await describeOutcome(openFile(objects, file))).toBe(`${file.sizeBytes} bytes`);
  });
});

test.prop([fc.uint8Array({ minLength: 1, maxLength: 200_000 })], { numRuns: 20 })(
  'bytes behind the last segment are never handed out',
  async (more) => {
    const { objects, file } = await sealed();
    change(objects, file, (object) => Buffer.concat([object, more]));
    expect((await openFile(objects, file)).equals(plaintext)).toBe(true);
  },
);

test('what comes before the damage is right, and nothing comes after it', async () => {
  const { objects, file } = await sealed();
  change(objects, file, (object) => {
    object[2 * sealedSegmentBytes] = (object[2 * sealedSegmentBytes] as number) ^ 1;
    return object;
  });
  const head = await openFile(objects, file, { start: 0, end: 2 * segmentBytes });
  expect(head.equals(plaintext.subarray(0, 2 * segmentBytes))).toBe(true);
  expect(await describeOutcome(openFile(objects, file, { start: 2 * segmentBytes, end: small }))).toBe('damaged');
});
