import type { Upload, UploadOptions } from 'tus-js-client';
import { expect, test } from 'vitest';
import type { ServerFile } from './upload-entry.ts';
import type { News } from './upload-item.ts';
import { UploadQueue } from './upload-queue.ts';

/** A browser and a server in which nothing happens until the test says so. */
function setUp(remembered: readonly string[] = []) {
  const uploads: { name: string; options: UploadOptions; starts: number; aborts: number; resumed: boolean }[] = [];
  const removed: string[] = [];
  const timers: { milliseconds: number; run: () => void }[] = [];
  const news: News[] = [];
  const server = { files: [] as ServerFile[], answers: true, ended: false, removes: true, asked: 0 };
  let now = 0;
  const queue = new UploadQueue(
    { tusEndpoint: '/u/tus', maxFiles: 5, maxFileBytes: 1000 },
    {
      newUpload(_, options) {
        const record = { name: options.metadata?.['filename'] ?? '', options, starts: 0, aborts: 0, resumed: false };
        uploads.push(record);
        return {
          url: `https://files.example.com/u/tus/${record.name}`,
          start: () => (record.starts += 1),
          abort: () => Promise.resolve(void (record.aborts += 1)),
          findPreviousUploads: () => Promise.resolve(remembered.map((id) => ({ uploadUrl: `/u/tus/${id}` }))),
          resumeFromPreviousUpload: () => (record.resumed = true),
        } as unknown as Upload;
      },
      remove: (url) => {
        if (!server.removes) return Promise.reject(new Error('no answer'));
        server.files = server.files.filter(({ id }) => !url.endsWith(`/${id}`));
        return Promise.resolve(void removed.push(url));
      },
      files: () => {
        server.asked += 1;
        if (!server.answers) return Promise.reject(new Error('no answer'));
        return Promise.resolve(server.ended ? 'ended' : [...server.files]);
      },
      isOnline: () => true,
      now: () => (now += 1000),
      after: (milliseconds, run) => timers.push({ milliseconds, run }),
    },
  );
  queue.onNews = (some) => news.push(...some);
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  /** All timers that are set ring, and what they start comes to rest. Returns how long they were set for. */
  const ring = async () => {
    const due = timers.splice(0);
    for (const { run } of due) run();
    await settle();
    return due.map(({ milliseconds }) => milliseconds);
  };
  const pick = (name: string, size = 100, path = name) => ({
    file: new File([new Uint8Array(size)], name, { lastModified: 1 }),
    path,
  });
  const arrive = (name: string, state: ServerFile['state'] = 'checking') => {
    const upload = uploads.findLast((candidate) => candidate.name === name);
    upload?.options.onUploadUrlAvailable?.();
    server.files.push({ id: name, name, sizeBytes: 100, receivedBytes: 100, state });
    upload?.options.onSuccess?.({} as never);
  };
  const become = (name: string, state: ServerFile['state']) => {
    server.files = server.files.map((file) => (file.name === name ? { ...file, state } : file));
  };
  const states = () => queue.entries.map((entry) => `${entry.name} ${entry.state}`);
  const begun = async () => {
    queue.begin();
    await ring();
  };
  return { queue, uploads, removed, timers, news, server, pick, states, settle, ring, arrive, become, begun };
}

/** What tus says of a request that was answered so, or not at all. */
function answered(status?: number): Error {
  const originalResponse = status === undefined ? null : { getStatus: () => status };
  return Object.assign(new Error(`answered ${status}`), { originalRequest: {}, originalResponse, causingError: null });
}

test('two travel at a time, the next when one has arrived', async () => {
  const { queue, pick, states, settle, arrive } = setUp();
  expect(queue.add(['a', 'b', 'c'].map((name) => pick(name)))).toEqual({ count: 3, tooLarge: [], tooMany: false });
  await settle();
  expect(states()).toEqual(['a uploading', 'b uploading', 'c waiting']);
  arrive('a');
  expect(states()).toEqual(['a checking', 'b uploading', 'c uploading']);
});

test('what has arrived can be sent when the server has checked it', async () => {
  const { queue, server, timers, news, pick, states, settle, ring, arrive, become, begun } = setUp();
  await begun();
  queue.add([pick('good'), pick('bad')]);
  await settle();
  arrive('good');
  arrive('bad');
  expect(states()).toEqual(['good checking', 'bad checking']);
  expect(queue.ready).toBe(false);
  become('good', 'ready');
  expect(await ring()).toEqual([1000]);
  expect(states()).toEqual(['good ready', 'bad checking']);
  expect(queue.ready).toBe(false);
  become('bad', 'refused');
  await ring();
  expect(states()).toEqual(['good ready', 'bad refused']);
  expect(queue.ready).toBe(true);
  expect(news.map(({ name, state }) => `${name} ${state}`)).toEqual([
    'good checking',
    'bad checking',
    'good ready',
    'bad refused',
  ]);
  // Nothing is left to learn.
  expect(timers).toEqual([]);
  expect(server.asked).toBe(3);
});

test('a list of refused files cannot be sent', async () => {
  const { queue, pick, settle, ring, arrive, begun } = setUp();
  await begun();
  queue.add([pick('bad')]);
  await settle();
  arrive('bad', 'refused');
  await ring();
  expect(queue.entries[0]?.state).toBe('refused');
  expect(queue.ready).toBe(false);
});

test('a server that does not answer is asked ever less often, and at once when the network is back', async () => {
  const { queue, server, pick, settle, ring, arrive, begun } = setUp();
  await begun();
  queue.add([pick('a')]);
  await settle();
  arrive('a');
  server.answers = false;
  const pauses: number[] = [];
  for (let times = 0; times < 8; times += 1) pauses.push(...(await ring()));
  expect(pauses).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
  server.answers = true;
  queue.online();
  // The pause that was under way asks nothing more.
  expect(await ring()).toEqual([30_000, 0]);
  expect(server.asked).toBe(10);
  expect(await ring()).toEqual([1000]);
});

test('a long check is asked about less often', async () => {
  const { queue, pick, settle, ring, arrive, begun } = setUp();
  await begun();
  queue.add([pick('a')]);
  await settle();
  arrive('a');
  for (let times = 0; times < 60; times += 1) expect(await ring()).toEqual([1000]);
  expect(await ring()).toEqual([5000]);
});

test('an answer from before a file had arrived says nothing about it', async () => {
  const { queue, server, uploads, pick, states, settle, ring, begun } = setUp();
  await begun();
  server.files = [{ id: 'a', name: 'a', sizeBytes: 100, receivedBytes: 50, state: 'uploading' }];
  queue.add([pick('a')]);
  await settle();
  uploads[0]?.options.onUploadUrlAvailable?.();
  queue.recheck();
  const ringing = ring();
  uploads[0]?.options.onSuccess?.({} as never);
  await ringing;
  expect(states()).toEqual(['a checking']);
  // Asked again, it is a loss: the file is still here and can be sent again.
  await ring();
  expect(states()).toEqual(['a failed']);
});

test('a refusal to send leads back to asking, and shows what nobody here knew of', async () => {
  const { queue, server, pick, states, settle, ring, arrive, become, begun } = setUp();
  await begun();
  queue.add([pick('a'), pick('b')]);
  await settle();
  arrive('a', 'ready');
  arrive('b', 'ready');
  await ring();
  expect(queue.ready).toBe(true);
  become('a', 'checking');
  server.files.push({ id: 'x', name: 'elsewhere', sizeBytes: 9, receivedBytes: 3, state: 'uploading' });
  queue.recheck();
  expect(queue.ready).toBe(false);
  expect(await ring()).toEqual([0]);
  expect(states()).toEqual(['a checking', 'b ready', 'elsewhere interrupted']);
  become('a', 'ready');
  await ring();
  expect(queue.ready).toBe(false);
  await queue.remove(3);
  expect(queue.ready).toBe(true);
});

test('when the link has ended, nothing moves any more', async () => {
  const { queue, uploads, server, timers, pick, states, settle, ring, begun } = setUp();
  await begun();
  let ended = 0;
  queue.onEnded = () => (ended += 1);
  queue.add(['a', 'b', 'c'].map((name) => pick(name)));
  await settle();
  server.ended = true;
  uploads[0]?.options.onError?.(answered(410));
  await ring();
  expect(ended).toBe(1);
  expect(states()).toEqual(['a failed', 'b paused', 'c paused']);
  expect(timers).toEqual([]);
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
  const { queue, uploads, pick, states, settle, arrive } = setUp();
  queue.add(['a', 'b', 'c'].map((name) => pick(name)));
  await settle();
  queue.pause(1);
  await settle();
  expect(states()).toEqual(['a paused', 'b uploading', 'c uploading']);
  queue.resume(1);
  expect(states()[0]).toBe('a waiting');
  arrive('b');
  expect(states()[0]).toBe('a uploading');
  await settle();
  expect(uploads[0]).toMatchObject({ starts: 2, aborts: 1 });
  queue.pause(2);
  expect(states()[1]).toBe('b checking');
});

test('paused and resumed before it had begun, it begins once', async () => {
  const { queue, uploads, pick, settle } = setUp();
  queue.add([pick('a')]);
  queue.pause(1);
  queue.resume(1);
  await settle();
  expect(uploads).toMatchObject([{ name: 'a', starts: 1 }]);
});

test('passing trouble is waited out, however long it takes; a refusal is a failure', async () => {
  const { queue, uploads, timers, pick, states, settle, ring } = setUp();
  queue.add([pick('a'), pick('b'), pick('c')]);
  await settle();
  queue.offline();
  expect(states()).toEqual(['a offline', 'b offline', 'c waiting']);
  queue.online();
  expect(states()).toEqual(['a uploading', 'b uploading', 'c waiting']);
  uploads[1]?.options.onError?.(answered(415));
  expect(states()).toEqual(['a uploading', 'b failed', 'c uploading']);
  timers.splice(0);
  for (const status of [undefined, 500, 502, 503, 408, 409, 423, 429, 200]) {
    uploads[0]?.options.onError?.(answered(status));
    expect(states()[0]).toBe('a offline');
    expect(await ring()).toContain(15_000);
    expect(states()).toEqual(['a uploading', 'b failed', 'c uploading']);
  }
  queue.resume(2);
  expect(states()[1]).toBe('b waiting');
});

test('a file that can no longer be read has failed, though it looks like the network', async () => {
  const { queue, uploads, pick, states, settle } = setUp();
  const picked = pick('a');
  picked.file.slice = () => ({ arrayBuffer: () => Promise.reject(new Error('gone')) }) as unknown as Blob;
  queue.add([picked]);
  await settle();
  uploads[0]?.options.onError?.(answered());
  await settle();
  expect(states()).toEqual(['a failed']);
});

test('an earlier visit goes on only with the very same file', async () => {
  const { queue, uploads, removed, server, pick, states, settle, begun } = setUp(['2']);
  server.files = [
    { id: '1', name: 'done', sizeBytes: 9, receivedBytes: 9, state: 'ready' },
    { id: '2', name: 'same', sizeBytes: 100, receivedBytes: 40, state: 'uploading' },
    { id: '3', name: 'other', sizeBytes: 100, receivedBytes: 60, state: 'uploading' },
    { id: '4', name: 'virus', sizeBytes: 9, receivedBytes: 9, state: 'refused' },
  ];
  await begun();
  expect(states()).toEqual(['done ready', 'same interrupted', 'other interrupted', 'virus refused']);
  queue.add([pick('same'), pick('other')]);
  await settle();
  expect(states()).toEqual(['done ready', 'same uploading', 'other uploading', 'virus refused']);
  expect(uploads.map(({ name, resumed }) => [name, resumed])).toEqual([
    ['same', true],
    ['other', false],
  ]);
  // Nobody can tell whether these are the same bytes: the old half goes, and the file starts again.
  expect(removed).toEqual(['/u/tus/3']);
  expect(queue.entries.map((entry) => entry.sentBytes)).toEqual([9, 40, 0, 9]);
});

test('what an earlier visit left is learnt late if the server is late', async () => {
  const { server, states, ring, begun } = setUp();
  server.files = [{ id: '1', name: 'a', sizeBytes: 9, receivedBytes: 9, state: 'checking' }];
  server.answers = false;
  await begun();
  expect(states()).toEqual([]);
  server.answers = true;
  await ring();
  expect(states()).toEqual(['a checking']);
});

test('what is removed is removed on the server too, and nothing of it is heard again', async () => {
  const { queue, uploads, removed, pick, states, settle } = setUp();
  queue.add([pick('a')]);
  await settle();
  uploads[0]?.options.onUploadUrlAvailable?.();
  expect(await queue.remove(1)).toBe(true);
  uploads[0]?.options.onSuccess?.({} as never);
  expect(states()).toEqual([]);
  expect(removed).toEqual(['https://files.example.com/u/tus/a']);
});

test('what the server does not remove comes back to the list, and nothing is sent meanwhile', async () => {
  const { queue, server, pick, states, settle, ring, arrive, begun } = setUp();
  await begun();
  queue.add([pick('a'), pick('b')]);
  await settle();
  arrive('a', 'ready');
  arrive('b', 'ready');
  await ring();
  server.removes = false;
  const removal = queue.remove(1);
  expect(states()).toEqual(['b ready']);
  expect(queue.ready).toBe(false);
  expect(await removal).toBe(false);
  expect(queue.ready).toBe(false);
  await ring();
  expect(states()).toEqual(['b ready', 'a ready']);
  expect(queue.ready).toBe(true);
});

test('speed is what arrived lately', async () => {
  const { queue, uploads, pick, settle } = setUp();
  queue.add([pick('a', 1000)]);
  await settle();
  for (const sent of [0, 100, 200, 300]) uploads[0]?.options.onProgress?.(sent, 1000);
  expect(queue.total).toEqual({ sentBytes: 300, sizeBytes: 1000, bytesPerSecond: 100 });
});
