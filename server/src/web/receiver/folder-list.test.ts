import { expect, test } from 'vitest';
import { groupByFolder } from './folder-list.tsx';

const file = (path: string) => ({ path, sizeBytes: 1 });

test('files in no folder come first, then the folders, each sorted as people count', () => {
  const paths = ['b/10.txt', 'b/9.txt', 'z.txt', 'b/a/1.txt', 'a/1.txt', 'Ä.txt', 'a.txt'];
  const groups = groupByFolder(paths.map(file), 'de');
  expect(groups.map(([folder, files]) => [folder, files.map(({ path }) => path)])).toEqual([
    ['', ['a.txt', 'Ä.txt', 'z.txt']],
    ['a/', ['a/1.txt']],
    ['b/', ['b/9.txt', 'b/10.txt']],
    ['b/a/', ['b/a/1.txt']],
  ]);
});
