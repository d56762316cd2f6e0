import { expect, test } from 'vitest';
import { fileType, splitPath } from './file-name.tsx';

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
