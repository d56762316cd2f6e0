import { expect, test } from 'vitest';
import { fileFamily } from './file-row.tsx';

test.each([
  ['Delivery note.pdf', 'text'],
  ['PHOTO.JPEG', 'image'],
  ['invoice.pdf.exe', 'program'],
  ['archive.tar.gz', 'archive'],
  ['README', 'other'],
  ['.bashrc', 'other'],
  ['.zip', 'other'],
  ['name.unheard-of', 'other'],
])('%s is of the family %s', (name, family) => {
  expect(fileFamily(name)).toBe(family);
});
