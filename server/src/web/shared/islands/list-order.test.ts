import { expect, test } from 'vitest';
import { ListOrder } from './list-order.ts';
import type { Entry, UploadState } from './upload-entry.ts';

function toEntry(key: number, state: UploadState, name = `${key}.txt`): Entry {
  return {
    key,
    name,
    path: undefined,
    sizeBytes: 1,
    sentBytes: 0,
    fingerprint: '',
    state,
    obstacle: undefined,
    scan: undefined,
  };
}

const twelve = (changes: Readonly<Record<number, UploadState>>) =>
  Array.from({ length: 12 }, (_, index) => toEntry(index + 1, changes[index + 1] ?? 'waiting'));
const keys = (entries: readonly Entry[]) => entries.map(({ key }) => key);

test('a few files stay in the order of their names, whatever their state', () => {
  const entries = [toEntry(1, 'waiting', 'b10'), toEntry(2, 'ready', 'b9'), toEntry(3, 'uploading', 'a')];
  expect(keys(new ListOrder('en').arrange(entries).listed)).toEqual([3, 2, 1]);
});

test('of many files, ready ones are folded and those that need the person come first', () => {
  const order = new ListOrder('en');
  const { folded, listed } = order.arrange(twelve({ 1: 'ready', 2: 'uploading', 5: 'interrupted' }));
  expect(keys(folded)).toEqual([1]);
  expect(keys(listed)).toEqual([5, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12]);
});

test('no row moves or is folded under a reader, until files are added', () => {
  const order = new ListOrder('en');
  order.arrange(twelve({ 1: 'ready', 2: 'uploading' }));
  order.freeze();
  const later = twelve({ 1: 'ready', 2: 'ready', 3: 'ready', 9: 'uploading' });
  expect(keys(order.arrange(later).folded)).toEqual([1]);
  expect(keys(order.arrange(later).listed)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  const { folded, listed } = order.arrange([...later, toEntry(13, 'waiting')]);
  expect(keys(folded)).toEqual([1, 2, 3]);
  expect(keys(listed)).toEqual([9, 4, 5, 6, 7, 8, 10, 11, 12, 13]);
});
