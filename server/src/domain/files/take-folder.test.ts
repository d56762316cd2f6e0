import { toFolderKey } from '@waybill/protocol';
import { expect, test } from 'vitest';
import { takeFolder } from './take-folder.ts';

const id = (index: number) => `01890a5d-ac96-774b-bcce-b302099a800${index}`;
const files = ['read me.txt', 'a/1', 'a/b/2', 'a/b/c/3', 'ab/4', 'd/b/5'].map((path, index) => ({
  id: id(index),
  path,
}));
const take = (key: string) => takeFolder(files, key).files.map(({ path }) => path);

test('a folder is found by any file in it, with all that is inside', () => {
  expect(take(toFolderKey('a/', { id: id(1) }))).toEqual(['a/1', 'a/b/2', 'a/b/c/3']);
  expect(take(toFolderKey('a/', { id: id(3) }))).toEqual(['a/1', 'a/b/2', 'a/b/c/3']);
  expect(takeFolder(files, toFolderKey('a/b/', { id: id(3) }))).toEqual({ path: 'a/b/', files: [files[2], files[3]] });
});

test.each([
  ['a file in no folder', `${id(0)}.1`],
  ['deeper than the file', `${id(1)}.2`],
  ['no depth', id(1)],
  ['the whole', `${id(1)}.0`],
  ['a file of somebody else', `${id(9)}.1`],
  ['nothing', ''],
  ['something else', '../../etc.1'],
  ['a number that is too long', `${id(1)}.11111`],
])('%s is not found', (_, key) => expect(() => take(key)).toThrow(expect.objectContaining({ code: 'not_found' })));
