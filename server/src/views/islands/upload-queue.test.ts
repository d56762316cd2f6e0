import type { Upload, UploadOptions } from 'tus-js-client';
import { expect, test } from 'vitest';
import { UploadQueue } from './upload-queue.ts';

/** A browser in which nothing happens until the test says so. */
function setUp(remembered: readonly string[] = []) {
  const uploads: { name: string; options: UploadOptions; starts: number; aborts: number; resumed: boolean }[] = [];
  const removed: string[] = [];
  const timers: (() => void)[] = [];
  let now = 0;
  const queue = new UploadQueue(
    { tusEndpoint: '/u/tus', maxFiles: 5, maxFileBytes: 1000 },
    {
      newUpload(_, options) {
        const record = { name: options.metadata?.['filename'] ?? '', options, starts: 0, aborts: 0, resumed: false };
        uploads.push(record);
        return {
          url: `/u/tus/${record.name}`,
          start: () => (record.starts += 1),
          abort: () => Promise.resolve(void (record.aborts += 1)),
          findPreviousUploads: () => Promise.resolve(remembered.includes(record.name) ? [{}] : []),
          resumeFromPreviousUpload: () => (record.resumed = true),
        } as unknown as Upload;
      },
      remove: (url) => Promise.resolve(void removed.push(url)),
      isOnline: () => true,
      now: () => (now += 1000),
      after: (_, then) => timers.push(then),
    },
  );
  const pick = (name: string, size = 100, path = name) => ({
    file: new File([new Uint8Array(size)], name, { lastModified: 1 }),
    path,
  });
  const states = () => queue.entries.map((entry) => `${entry.name} ${entry.state}`);
  return {
    queue,
    uploads,
    removed,
    timers,
    pick,
    states,
    settle: () => new Promise((resolve) => setImmediate(resolve)),
  };
}

test('two travel at a time, the next when one has arrived', async () => {
  const { queue, uploads, pick, states, settle } = setUp();
  expect(queue.add(['a', 'b', 'c'].map((name) => pick(name)))).toEqual({ count: 3, tooLarge: [], tooMany: false });
  await settle();
  expect(states()).toEqual(['a uploading', 'b uploading', 'c waiting']);
  uploads[0]?.options.onSuccess?.({} as never);
  await settle();
  expect(states()).toEqual(['a complete', 'b uploading', 'c uploading']);
  expect(queue.ready).toBe(false);
  for (const upload of uploads) upload.options.onSuccess?.({} as never);
  expect(queue.ready).toBe(true);
});

test('limits, doubles and names that are taken', () => {
  const { queue, pick, states } = setUp();
  expect(queue.add([pick('large', 1001), pick('a.txt'), pick('a.txt')])).toEqual({
    count: 1,
    tooLarge: ['large'],
    tooMany: false,
  });
  queue.add([pick('a.txt', 100, 'folder/a.txt')]);
  expect(states()).toEqual(['a.txt uploading', 'a (2).txt uploading']);
  expect(queue.add(['1', '2', '3', '4'].map((name) => pick(name))).tooMany).toBe(true);
  expect(queue.entries).toHaveLength(5);
});

test('pause gives way to the next, and resume continues the same upload', async () => {
  const { queue, uploads, pick, states, settle } = setUp();
  queue.add(['a', 'b', 'c'].map((name) => pick(name)));
  await settle();
  queue.pause(1);
  await settle();
  expect(states()).toEqual(['a paused', 'b uploading', 'c uploading']);
  queue.resume(1);
  expect(states()[0]).toBe('a waiting');
  uploads[1]?.options.onSuccess?.({} as never);
  expect(states()[0]).toBe('a uploading');
  expect(uploads[0]).toMatchObject({ starts: 2, aborts: 1 });
});

test('a lost network is waited for; a refusal is a failure', async () => {
  const { queue, uploads, timers, pick, states, settle } = setUp();
  queue.add([pick('a'), pick('b'), pick('c')]);
  await settle();
  queue.offline();
  expect(states()).toEqual(['a offline', 'b offline', 'c waiting']);
  queue.online();
  expect(states()).toEqual(['a uploading', 'b uploading', 'c waiting']);
  uploads[0]?.options.onError?.(new Error('no answer'));
  expect(states()[0]).toBe('a offline');
  uploads[1]?.options.onError?.(Object.assign(new Error('refused'), { originalResponse: {} }));
  expect(states()[1]).toBe('b failed');
  for (const then of timers) then();
  expect(states()).toEqual(['a uploading', 'b failed', 'c uploading']);
  queue.resume(2);
  expect(states()[1]).toBe('b waiting');
});

test('an earlier visit goes on only with the very same file', async () => {
  const { queue, uploads, removed, pick, states, settle } = setUp(['same']);
  queue.known([
    { id: '1', name: 'done', sizeBytes: 9, offset: 9, complete: true },
    { id: '2', name: 'same', sizeBytes: 100, offset: 40, complete: false },
    { id: '3', name: 'other', sizeBytes: 100, offset: 60, complete: false },
  ]);
  expect(states()).toEqual(['done complete', 'same interrupted', 'other interrupted']);
  queue.add([pick('same'), pick('other')]);
  await settle();
  expect(states()).toEqual(['done complete', 'same uploading', 'other uploading']);
  expect(uploads.map(({ name, resumed }) => [name, resumed])).toEqual([
    ['same', true],
    ['other', false],
  ]);
  // Nobody can tell whether these are the same bytes: the old half goes, and the file starts anew.
  expect(removed).toEqual(['/u/tus/3']);
  expect(queue.entries.map((entry) => entry.sentBytes)).toEqual([9, 40, 0]);
});

test('what is removed is removed on the server too, and nothing of it is heard again', async () => {
  const { queue, uploads, removed, pick, states, settle } = setUp();
  queue.add([pick('a')]);
  await settle();
  uploads[0]?.options.onUploadUrlAvailable?.();
  await queue.remove(1);
  uploads[0]?.options.onSuccess?.({} as never);
  expect(states()).toEqual([]);
  expect(removed).toEqual(['/u/tus/a']);
});

test('speed is what arrived lately', async () => {
  const { queue, uploads, pick, settle } = setUp();
  queue.add([pick('a', 1000)]);
  await settle();
  for (const sent of [0, 100, 200, 300]) uploads[0]?.options.onProgress?.(sent, 1000);
  expect(queue.total).toEqual({ sentBytes: 300, sizeBytes: 1000, bytesPerSecond: 100 });
});
