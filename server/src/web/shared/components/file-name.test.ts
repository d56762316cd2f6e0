import { expect, test } from 'vitest';
import { splitPath } from '../../../present/texts/file-order.ts';
import { fileType, splitLongName } from './file-name.tsx';

test.each([
  ['annual-report-final-v2.pdf', 'PDF'],
  ['folder.d/invoice.pdf.scr', 'SCR'],
  ['backup.tar.gz', 'GZ'],
  ['photo.notanextension', ''],
  ['.gitignore', ''],
  ['v1.2/README', ''],
  ['note. pdf', ''],
  ['photo\u202Egpj.exe', 'EXE'],
])('the type of %s is “%s”', (name, type) => {
  expect(fileType(name)).toBe(type);
});

test.each([
  ['a.txt', '', 'a.txt'],
  ['scans/2026/a.txt', 'scans/2026/', 'a.txt'],
])('%s is in “%s” and called %s', (path, folder, name) => {
  expect(splitPath(path)).toEqual([folder, name]);
});

test('a name that fits on two lines of a phone is not split', () => {
  const name = `${'n'.repeat(44)}.pdf`;
  expect(splitLongName(name)).toEqual([name, '', '']);
});

test('of a longer name, the start and the end stay, and nothing is lost', () => {
  const name = `Photograph of the ${'😀'.repeat(40)} seen from the yard, 12.jpg`;
  const [start, middle, end] = splitLongName(name);
  expect(start + middle + end).toBe(name);
  expect(end).toBe('from the yard, 12.jpg'.slice(-16));
  expect(Array.from(start)).toHaveLength(20);
});
