import { fc, test as propertyTest } from '@fast-check/vitest';
import { encode } from 'uqr';
import { expect, test } from 'vitest';
import { drawQrCode } from './draw-qr-code.ts';

/** Fills the rectangles of a path, as a browser does. */
function fill({ path, size }: ReturnType<typeof drawQrCode>): boolean[][] {
  const squares = Array.from({ length: size }, () => Array.from({ length: size }, () => false));
  const rectangles = [...path.matchAll(/M(\d+) (\d+)h(\d+)v1h-(\d+)z/g)];
  expect(rectangles.map(([text]) => text).join('')).toBe(path);
  for (const [, x, y, width, back] of rectangles) {
    expect(width).toBe(back);
    squares[Number(y)]?.fill(true, Number(x), Number(x) + Number(width));
  }
  return squares;
}

propertyTest.prop([fc.string({ maxLength: 300 })], { numRuns: 20 })(
  'the path draws the squares of the code',
  (text) => {
    expect(fill(drawQrCode(text))).toEqual(encode(text, { ecc: 'M', border: 4 }).data);
  },
);

test('a code has a light border of four squares, and its three corners', () => {
  const squares = fill(drawQrCode('otpauth://totp/Acme:anna@example.org?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'));
  const { length } = squares;
  expect(squares.slice(0, 4).flat()).not.toContain(true);
  expect(squares.flatMap((row) => row.slice(-4))).not.toContain(true);
  for (const [x, y] of [
    [4, 4],
    [length - 11, 4],
    [4, length - 11],
  ] as const) {
    const corner = squares.slice(y, y + 7).map((row) =>
      row
        .slice(x, x + 7)
        .map((isDark) => (isDark ? '#' : '.'))
        .join(''),
    );
    expect(corner).toEqual(['#######', '#.....#', '#.###.#', '#.###.#', '#.###.#', '#.....#', '#######']);
  }
});
