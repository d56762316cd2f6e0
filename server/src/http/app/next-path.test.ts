import { expect, test } from 'vitest';
import { readNextPath } from './next-path.ts';

test.each(['/', '/anna@example.org/sent?state=live', '/a%20b'])('%s is ours', (path) => {
  expect(readNextPath(path)).toBe(path);
});

test.each([
  '',
  'https://evil.example/',
  '//evil.example',
  '/\\evil.example',
  '/a\\b',
  'javascript:alert(1)',
  '/a b',
  '/a\nSet-Cookie: x',
  '/\t/evil.example',
  `/${'a'.repeat(600)}`,
  null,
  undefined,
])('%s is not', (path) => {
  expect(readNextPath(path)).toBeUndefined();
});
