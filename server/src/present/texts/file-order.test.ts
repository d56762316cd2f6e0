import { expect, test } from 'vitest';
import { comparePaths, sortByPath } from './file-order.ts';

test('files are sorted by folder, then by name, with numbers in their order', () => {
  const paths = [
    'b/2.txt',
    'Plan 10.pdf',
    'a b/1.txt',
    'Plan 9.pdf',
    'b/10.txt',
    'b/a/1.txt',
    'ä.txt',
    'z.txt',
    'a/2.txt',
  ];
  expect(sortByPath(paths, 'de', (path) => path)).toEqual([
    'ä.txt',
    'Plan 9.pdf',
    'Plan 10.pdf',
    'z.txt',
    'a/2.txt',
    'a b/1.txt',
    'b/2.txt',
    'b/10.txt',
    'b/a/1.txt',
  ]);
});

test('the list of a drop is in the order in which its paths compare', () => {
  const paths = Array.from({ length: 1000 }, (_, index) => {
    const folders = Array.from({ length: index % 4 }, (_folder, depth) => `${(index * 7 + depth) % 12}`);
    return [...folders, `${(index * 919) % 1000}.txt`].join('/');
  });
  expect(sortByPath(paths, 'en', (path) => path)).toEqual(paths.toSorted(comparePaths('en')));
});
