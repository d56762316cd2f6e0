import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ZipLayouts } from './zip-layouts.ts';

const plenty = { count: 100, bytes: 1024 ** 2 };
const file = (path: string) => ({
  path,
  sizeBytes: 10,
  crc32: 7,
  sha256: createHash('sha256').update(path).digest(),
});
const drop = {
  dropId: 'd',
  createdAt: new Date('2026-11-15T12:00:00Z'),
  files: [file('a.txt'), file('b.txt')],
};

test('a layout is computed once for the same files', () => {
  const layouts = new ZipLayouts(plenty);
  const { layout, etag } = layouts.of(drop);
  const again = layouts.of(readAgain(drop));
  expect(again.layout).toBe(layout);
  expect(again.etag).toBe(etag);
  expect(layouts.count).toBe(1);
});

describe('another layout is computed', () => {
  const [first, second] = drop.files as [ReturnType<typeof file>, ReturnType<typeof file>];
  const cases: [string, typeof drop][] = [
    ['another drop', { ...drop, dropId: 'e' }],
    ['another time', { ...drop, createdAt: new Date('2026-11-15T12:00:02Z') }],
    ['another order', { ...drop, files: [second, first] }],
    ['one file less', { ...drop, files: [first] }],
    ['one file more', { ...drop, files: [first, second, file('c.txt')] }],
    ['another path', { ...drop, files: [first, { ...second, path: 'c.txt' }] }],
    ['another size', { ...drop, files: [first, { ...second, sizeBytes: 11 }] }],
    ['another checksum', { ...drop, files: [first, { ...second, crc32: 8 }] }],
    ['another digest', { ...drop, files: [first, { ...second, sha256: first.sha256 }] }],
  ];
  test.each(cases)('for %s', (_what, other) => {
    const layouts = new ZipLayouts(plenty);
    const { layout } = layouts.of(drop);
    const changed = layouts.of(other);
    expect(changed.layout).not.toBe(layout);
    expect(changed).toEqual({ ...new ZipLayouts(plenty).of(other), layout: expect.anything() });
  });
});

describe('the cache is limited', () => {
  const numbered = (number: number) => ({ ...drop, dropId: `d${number}` });

  test('in the number of layouts: the least recently used one is discarded', () => {
    const layouts = new ZipLayouts({ ...plenty, count: 2 });
    const kept = [layouts.of(numbered(1)).layout, layouts.of(numbered(2)).layout];
    expect(layouts.of(numbered(1)).layout).toBe(kept[0]);
    layouts.of(numbered(3));
    expect(layouts.count).toBe(2);
    expect(layouts.of(numbered(1)).layout).toBe(kept[0]);
    expect(layouts.of(numbered(2)).layout).not.toBe(kept[1]);
  });

  test('in bytes, whatever the size of each layout', () => {
    const oneBytes = heldBy(drop);
    const layouts = new ZipLayouts({ count: 100, bytes: 3 * oneBytes });
    for (let number = 10; number < 30; number += 1) {
      layouts.of(numbered(number));
      expect(layouts.heldBytes).toBe(layouts.count * oneBytes);
      expect(layouts.count).toBeLessThanOrEqual(3);
    }
    const large = { ...drop, files: Array.from({ length: 10 }, (_, index) => file(`${index}.txt`)) };
    const { layout } = layouts.of(large);
    expect(layouts.of(large).layout).not.toBe(layout);
    expect([layouts.count, layouts.heldBytes]).toEqual([3, 3 * oneBytes]);
  });
});

function heldBy(zipped: typeof drop): number {
  const layouts = new ZipLayouts(plenty);
  layouts.of(zipped);
  return layouts.heldBytes;
}

/** Copies the drop, as if it had been read from the database again. */
function readAgain({ dropId, createdAt, files }: typeof drop): typeof drop {
  return {
    dropId,
    createdAt: new Date(createdAt),
    files: files.map((one) => ({ ...one, sha256: Buffer.from(one.sha256) })),
  };
}
