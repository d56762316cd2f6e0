import { fc, test as property } from '@fast-check/vitest';
import { expect, test } from 'vitest';
import { measureWidth, splitName } from './file-name.tsx';

test.each([
  ['annual-report-final-v2.pdf', 'annual-report-final', '-v2.pdf'],
  ['Assembly drawing 12.dwg', 'Assembly drawing ', '12.dwg'],
  ['photo.notanextension', 'photo.notanextens', 'ion'],
  ['.gitignore', '.gitign', 'ore'],
  ['abc', '', 'abc'],
  ['familie 👨‍👩‍👧.txt', 'famili', 'e 👨‍👩‍👧.txt'],
])('%s is cut between %s and %s', (name, start, end) => {
  expect(splitName(name)).toEqual([start, end]);
});

property.prop([fc.string({ unit: 'grapheme' })])('a cut name is still the whole name', (name) => {
  expect(splitName(name).join('')).toBe(name);
});

test('gives a wide end more room', () => {
  expect(['il', 'v2.pdf', 'nts.xlsx', 'WWW.DOCX', 'W'.repeat(12)].map(measureWidth)).toEqual([2, 4, 5, 8, 9]);
});
