import { fc, test as property } from '@fast-check/vitest';
import { expect, test } from 'vitest';
import { toReturnPath } from './return-path.ts';

test.each(['/', '/orders@example.org/sent?page=2', '/orders@example.org/drops/WB-7F3K-29QD#files', '/a/?next=//b'])(
  'the path %s is kept',
  (path) => {
    expect(toReturnPath(path)).toBe(path);
  },
);

test.each([
  undefined,
  '',
  'sent',
  'https://evil.example/',
  '//evil.example/',
  '///evil.example/',
  '/\\evil.example/',
  '\\\\evil.example/',
  '/\t/evil.example/',
  '/\n/evil.example/',
  ' //evil.example/',
  '/..//evil.example/',
  '/.//evil.example/',
  '/%2e//evil.example/',
  '/a/../..//evil.example/',
  'javascript:alert(1)',
  '/\u0000',
  `/${'a'.repeat(2_000)}`,
])('%j leads to the start page', (path) => {
  expect(toReturnPath(path)).toBe('/');
});

const piece = fc.constantFrom(
  '/',
  '\\',
  '..',
  '.',
  '%2e',
  '@',
  ':',
  '?',
  '#',
  '\t',
  'evil.example',
  'https:',
  'a',
  ' ',
);
property.prop([fc.array(piece, { maxLength: 12 })])('nothing leads to another site', (pieces) => {
  const path = toReturnPath(pieces.join(''));
  expect(new URL(path, 'https://files.example.org').origin).toBe('https://files.example.org');
  expect(toReturnPath(path)).toBe(path);
});
