import { expect, test } from 'vitest';
import { readDroppedFiles, readPastedFiles } from './dropped-files.ts';

const now = new Date(2026, 10, 16, 9, 5, 7);
const fileOf = (name: string, type = '') => new File(['x'], name, { type, lastModified: 1 });
const dataOf = (...files: File[]) => ({ files }) as unknown as DataTransfer;

test('a screenshot gets a name with its date, and is kept', () => {
  const [one, two] = readPastedFiles(dataOf(fileOf('image.png', 'image/png'), fileOf('', 'image/jpeg')), now);
  expect(one).toMatchObject({ path: 'Screenshot 2026-11-16 09.05.07.png', kept: expect.any(File) });
  expect(two?.path).toBe('Screenshot 2026-11-16 09.05.07.jpeg');
});

test('several screenshots of one moment get different names', () => {
  const same = [1, 2].map(() => fileOf('image.png', 'image/png'));
  const paths = readPastedFiles(dataOf(...same), now).map(({ path }) => path);
  expect(new Set(paths).size).toBe(2);
});

test('a copied file keeps its name, and is not stored again', () => {
  expect(readPastedFiles(dataOf(fileOf('plan.png', 'image/png')), now)).toEqual([
    { file: expect.any(File), path: 'plan.png' },
  ]);
});

const handleOf = (name: string) =>
  ({ kind: 'file', name, getFile: () => Promise.resolve(fileOf(name)) }) as unknown as FileSystemFileHandle;
const folderOf = (name: string, ...children: FileSystemHandle[]) =>
  ({
    kind: 'directory',
    name,
    async *values() {
      yield* children;
    },
  }) as unknown as FileSystemDirectoryHandle;
const drop = (...handles: (FileSystemHandle | undefined)[]) =>
  readDroppedFiles({
    files: [],
    items: handles.map((handle) => ({
      kind: 'file',
      webkitGetAsEntry: () => ({
        isFile: true,
        fullPath: '/by-entry.txt',
        file: (found: (file: File) => void) => found(fileOf('by-entry.txt')),
      }),
      ...(handle ? { getAsFileSystemHandle: () => Promise.resolve(handle) } : {}),
    })),
  } as unknown as DataTransfer);

test('files and folders are read by handles, with their paths', async () => {
  const picked = await drop(handleOf('a.txt'), folderOf('site', handleOf('b.txt'), folderOf('old', handleOf('c.txt'))));
  expect(picked.map(({ path }) => path)).toEqual(['a.txt', 'site/b.txt', 'site/old/c.txt']);
  expect(picked.every(({ kept }) => kept !== undefined)).toBe(true);
});

test('a browser without handles reads the entries', async () => {
  expect(await drop(undefined)).toEqual([{ file: expect.any(File), path: 'by-entry.txt' }]);
});
