import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sortByPath } from './file-order.ts';
import { type Folder, toFolderTree } from './folder-tree.ts';

const file = (path: string) => ({ path, sizeBytes: 1 });

/** Each folder with its files, indented as it is nested. */
function draw({ folders, files }: Folder<{ path: string }>, indent = ''): string[] {
  return [
    ...files.map(({ path }) => `${indent}${path.split('/').at(-1)}`),
    ...folders.flatMap((folder) => [`${indent}${folder.name}/ ${folder.all.length}`, ...draw(folder, `${indent}  `)]),
  ];
}

test('files in no folder come first, then the folders, each sorted as people count', () => {
  const paths = ['b/10.txt', 'b/9.txt', 'z.txt', 'b/a/1.txt', 'a10/1.txt', 'a2/1.txt', 'Ä.txt', 'a.txt'];
  expect(draw(toFolderTree(paths.map(file), 'de'))).toEqual([
    'a.txt',
    'Ä.txt',
    'z.txt',
    'a2/ 1',
    '  1.txt',
    'a10/ 1',
    '  1.txt',
    'b/ 3',
    '  9.txt',
    '  10.txt',
    '  a/ 1',
    '    1.txt',
  ]);
});

test('a folder with nothing but another one is a line together with it', () => {
  const paths = ['p/3 Nov/1.txt', 'p/4 Nov/1.txt', 'd/2nd/x/1.txt', 'd/2nd/x/y/1.txt'];
  expect(draw(toFolderTree(paths.map(file), 'en'))).toEqual([
    'd/2nd/x/ 2',
    '  1.txt',
    '  y/ 1',
    '    1.txt',
    'p/ 2',
    '  3 Nov/ 1',
    '    1.txt',
    '  4 Nov/ 1',
    '    1.txt',
  ]);
});

test('no list is nested as deep as a path can be', () => {
  const paths = Array.from({ length: 500 }, (_, depth) => `${'f/'.repeat(depth)}x`);
  const measure = (folder: Folder<unknown>): number => 1 + Math.max(0, ...folder.folders.map(measure));
  const tree = toFolderTree(paths.map(file), 'en');
  expect(measure(tree)).toBeLessThan(10);
  expect(tree.all).toHaveLength(500);
});

test('each file is listed once, in the order of the paths, in the folder of its path', () => {
  const names = fc.array(fc.constantFrom('a', 'b2', 'b10', 'ä', ' '), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(
      fc.uniqueArray(
        names.map((each) => each.join('/')),
        { maxLength: 60 },
      ),
      (paths) => {
        const flatten = (folder: Folder<{ path: string }>): string[] => [
          ...folder.files.map(({ path }) => path),
          ...folder.folders.flatMap(flatten),
        ];
        const check = (folder: Folder<{ path: string }>): void => {
          for (const { path } of folder.files) expect(path.slice(0, path.lastIndexOf('/') + 1)).toBe(folder.path);
          expect(folder.all.map(({ path }) => path).toSorted()).toEqual(flatten(folder).toSorted());
          for (const inner of folder.folders) {
            expect(inner.path).toBe(`${folder.path}${inner.name}/`);
            check(inner);
          }
        };
        const tree = toFolderTree(paths.map(file), 'en');
        check(tree);
        expect(flatten(tree)).toEqual(sortByPath(paths, 'en', (path) => path));
      },
    ),
  );
});
