import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { requestedRange } from './reply-with-body.ts';

/** Lists the bytes of a file of this size that a range covers, one by one. */
function named(first: number | undefined, last: number | undefined, sizeBytes: number): number[] {
  return Array.from({ length: sizeBytes }, (_, index) => index).filter((index) => {
    if (first === undefined) return index >= sizeBytes - (last as number);
    return index >= first && (last === undefined || index <= last);
  });
}

const bound = fc.option(fc.nat(40), { nil: undefined });

test.prop([bound, bound, fc.nat(30)])('a range covers the same bytes as a plain count', (first, last, sizeBytes) => {
  const response = requestedRange(`bytes=${first ?? ''}-${last ?? ''}`, sizeBytes);
  if ((first === undefined && last === undefined) || (first !== undefined && last !== undefined && last < first)) {
    expect(response).toBeUndefined();
    return;
  }
  const bytes = named(first, last, sizeBytes);
  if (bytes.length === 0) expect(response).toBe('unsatisfiable');
  else expect(response).toEqual({ start: bytes[0], end: (bytes.at(-1) as number) + 1 });
});

test.prop([fc.string(), fc.nat(100)])('a range lies within the file, whatever is sent', (text, sizeBytes) => {
  for (const header of [text, `bytes=${text}`, `bytes=${text}-`, `bytes=-${text}`]) {
    const response = requestedRange(header, sizeBytes);
    if (response === undefined || response === 'unsatisfiable') continue;
    expect(response.start).toBeGreaterThanOrEqual(0);
    expect(response.end).toBeGreaterThan(response.start);
    expect(response.end).toBeLessThanOrEqual(sizeBytes);
  }
});

describe('ignores the header', () => {
  test.each([
    undefined,
    '',
    'bytes',
    'bytes=',
    'bytes=-',
    'bytes=a-b',
    'bytes=1-2,4-5',
    'bytes=5-3',
    'bytes=--1',
    'bytes=+1-2',
    'bytes=0x1-2',
    'bytes=1.5-2',
    'items=0-1',
    'bytes=0-1;q=1',
    `bytes=0-${'9'.repeat(40)}`,
  ])('%s', (header) => {
    expect(requestedRange(header, 10)).toBeUndefined();
  });
});

test('accepts the unit in upper and lower case', () => {
  expect(requestedRange('Bytes=2-3', 10)).toEqual({ start: 2, end: 4 });
});

test('satisfies no range of an empty file', () => {
  for (const header of ['bytes=0-', 'bytes=0-0', 'bytes=-1']) expect(requestedRange(header, 0)).toBe('unsatisfiable');
});
