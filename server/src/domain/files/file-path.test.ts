import { fc, test } from '@fast-check/vitest';
import { limits, safeLocalPaths } from '@waybill/protocol';
import { describe, expect } from 'vitest';
import { fileName, filePath } from './file-name.ts';

const invalid = expect.objectContaining({ code: 'invalid_name' });
const levels = (count: number) => [...Array.from({ length: count - 1 }, () => 'd'), 'x'].join('/');

test('a path is kept, and a name alone is none', () => {
  expect(filePath('reports/2026/x', 'x')).toBe('reports/2026/x');
  expect(filePath('u\u0308/x', 'x')).toBe('\u00fc/x');
  expect(filePath('CON/trailing. /x', 'x')).toBe('CON/trailing. /x');
  expect(filePath('x', 'x')).toBeNull();
  expect(filePath(levels(limits.filePathDepth), 'x')).toBe(levels(limits.filePathDepth));
});

describe('refuses', () => {
  test.each([
    '',
    '/',
    '/x',
    '//x',
    'a//x',
    'x/',
    'a/',
    './x',
    '../x',
    'a/../x',
    'a/./x',
    'a/..',
    '\u200b../x',
    'C:/x',
    'c:x',
    '\\x',
    'a\\x',
    '\\\\server\\share/x',
    'a\0/x',
    'a\n/x',
    'a\u202e/x',
    '%2e%2e/x',
    'a%2fb/x',
    ' /x',
    'a/y',
    'a/X',
  ])('%j', (path) => {
    expect(() => filePath(path, 'x')).toThrow(invalid);
  });

  test.each([
    ['one level too many', levels(limits.filePathDepth + 1)],
    ['1,000 levels', levels(1000)],
    ['a million levels', levels(1_000_000)],
    ['too many bytes', `${`${'d'.repeat(200)}/`.repeat(6)}x`],
    ['a folder with too long a name', `${'d'.repeat(256)}/x`],
  ])('%s', (_what, path) => {
    expect(() => filePath(path, 'x')).toThrow(invalid);
  });
});

const segment = fc.oneof(
  fc.constantFrom('..', '.', '', 'a', 'A', 'con', 'C:', '\\', '%2e', ' ', 'e\u0301', 'é', 'a. ', '\0'),
  fc.string({ unit: 'binary', maxLength: 5 }),
);
const anyPath = fc.array(segment, { minLength: 1, maxLength: 40 }).map((segments) => segments.join('/'));

test.prop([anyPath])('what is taken leads down only, stays as it is, and a ZIP can hold it', (text) => {
  let path: string | null;
  const last = text.split('/').at(-1) as string;
  try {
    path = filePath(text, fileName(last));
  } catch (error) {
    expect(error).toEqual(invalid);
    return;
  }
  if (path === null) {
    expect(text).not.toContain('/');
    return;
  }
  const names = path.split('/');
  expect(filePath(path, names.at(-1) as string)).toBe(path);
  expect(path).toBe(text.normalize('NFC'));
  expect(names.length).toBeLessThanOrEqual(limits.filePathDepth);
  expect(Buffer.byteLength(path)).toBeLessThanOrEqual(limits.filePathBytes);
  for (const name of names) expect(['', '.', '..']).not.toContain(name.trim());
  expect(path).not.toMatch(/[\p{Cc}\\]|^[a-z]:/iu);
  expect(safeLocalPaths([path])[0]?.split('/')).toHaveLength(names.length);
});
