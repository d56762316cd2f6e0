import { expect, test } from 'vitest';
import type { Entry, KeptFile } from '../../../shared/islands/upload-entry.ts';
import { findReadable, findUnreadable, requestReading } from './composer-files-view.tsx';

type Permission = 'granted' | 'prompt' | 'denied';

function handleOf(name: string, size: number, permission: Permission, isAllowed = true): FileSystemFileHandle {
  let current = permission;
  return {
    name,
    queryPermission: () => Promise.resolve(current),
    requestPermission: () => Promise.resolve((current = isAllowed ? 'granted' : 'denied')),
    getFile: () =>
      size < 0 ? Promise.reject(new Error('gone')) : Promise.resolve(new File([new Uint8Array(size)], name)),
  } as unknown as FileSystemFileHandle;
}

function queueOf(...kept: (KeptFile | undefined)[]) {
  const removed: number[] = [];
  const entries = kept.map((file, key) => ({
    key,
    name: `${key}.bin`,
    sizeBytes: 9,
    sentBytes: 0,
    state: 'interrupted',
    kept: file,
  })) as unknown as (Entry & { kept: KeptFile | undefined })[];
  return {
    entries,
    removed,
    remove: (key: number) => Promise.resolve(removed.push(key) > 0),
    discardKept: (key: number) => {
      const entry = entries[key];
      if (entry) Object.assign(entry, { kept: undefined });
    },
  };
}

test('files that may be read are read, screenshots included, and the others wait', async () => {
  const screenshot = new File([new Uint8Array(9)], 'Screenshot.png');
  const queue = queueOf(handleOf('a', 9, 'granted'), handleOf('b', 9, 'prompt'), screenshot, undefined);
  expect((await findReadable(queue)).map(({ path }) => path)).toEqual(['a', 'Screenshot.png']);
  expect((await findUnreadable(queue)).map(({ key }) => key)).toEqual([1]);
});

test('after the person agreed, they are read too; one that they refuse has to be chosen again', async () => {
  const queue = queueOf(handleOf('a', 9, 'prompt'), handleOf('b', 9, 'prompt', false));
  await requestReading(queue);
  expect((await findReadable(queue)).map(({ path }) => path)).toEqual(['a']);
  expect([await findUnreadable(queue), queue.entries[1]?.kept]).toEqual([[], undefined]);
});

test('a file that is gone has to be chosen again, and a changed one begins again', async () => {
  const queue = queueOf(handleOf('gone', -1, 'granted'), handleOf('longer', 10, 'granted'));
  expect((await findReadable(queue)).map(({ path }) => path)).toEqual(['longer']);
  expect([queue.entries[0]?.kept, queue.removed]).toEqual([undefined, [1]]);
});
