import type { DetailedError, Upload, UploadOptions } from 'tus-js-client';
import { describe, expect, test } from 'vitest';
import type { DraftFile } from '../../../domain/uploads/upload-store.ts';
import { SendIntent } from './send-intent.ts';
import type { Chosen } from './upload-entry.ts';
import type { News } from './upload-item.ts';
import { UploadQueue } from './upload-queue.ts';

/** Creates a browser and a server in which nothing happens until the test says so. */
function setUp(remembered: readonly string[] = [], earlier: readonly Chosen[] = []) {
  const uploads: { name: string; options: UploadOptions; starts: number; aborts: number; resumed: boolean }[] = [];
  const removed: string[] = [];
  const timers: { milliseconds: number; run: () => void }[] = [];
  const news: News[] = [];
  const server = { files: [] as DraftFile[], responses: true, ended: false, removes: true, asked: 0 };
  let now = 0;
  const queue = new UploadQueue(
    { tusEndpoint: '/u/tus', draftKey: 'draft', maxFiles: 5, maxFileBytes: 1000 },
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
        if (!server.removes) return Promise.reject(new Error('no response'));
        server.files = server.files.filter(({ id }) => !url.endsWith(`/${id}`));
        return Promise.resolve(void removed.push(url));
      },
      files: () => {
        server.asked += 1;
        if (!server.responses) return Promise.reject(new Error('no response'));
        return Promise.resolve(server.ended ? 'ended' : [...server.files]);
      },
      isOnline: () => true,
      now: () => (now += 1000),
      after: (milliseconds, run) => timers.push({ milliseconds, run }),
    },
    earlier,
  );
  queue.onNews = (some) => news.push(...some);
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  /** Fires all pending timers, waits until everything that they start has settled, and returns their delays. */
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
  const latest = (name: string) => uploads.findLast((candidate) => candidate.name === name);
  /** Creates the upload on the server, and delivers the response. */
  const open = (name: string) => latest(name)?.options.onUploadUrlAvailable?.();
  const arrive = (name: string, state: DraftFile['state'] = 'checking') => {
    open(name);
    server.files.push({
      id: name,
      name,
      path: name,
      sizeBytes: 100,
      receivedBytes: 100,
      state,
      scan: null,
      unscannedReason: null,
      refusal: null,
    });
    latest(name)?.options.onSuccess?.({} as never);
  };
  const become = (name: string, state: DraftFile['state']) => {
    server.files = server.files.map((file) => (file.name === name ? { ...file, state } : file));
  };
  const states = () => queue.entries.map((entry) => `${entry.name} ${entry.state}`);
  const begun = async () => {
    queue.begin();
    await ring();
  };
  return { queue, uploads, removed, timers, news, server, pick, states, settle, ring, open, arrive, become, begun };
}

/** The error of tus for a request with this response, or with none. */
function responseError(status?: number, code?: string): Error {
  const body = JSON.stringify({ status: 'error', code });
  const originalResponse = status === undefined ? null : { getStatus: () => status, getBody: () => body };
  return Object.assign(new Error(`the response was ${status}`), {
    originalRequest: {},
    originalResponse,
    causingError: null,
  });
}

test('uploads two files at a time, and the next when one has arrived', async () => {
  const { queue, pick, states, settle, arrive } = setUp();
  expect(queue.add(['a', 'b', 'c'].map((name) => pick(name)))).toEqual({ count: 3, tooMany: false });
  await settle();
  expect(states()).toEqual(['a uploading', 'b uploading', 'c waiting']);
  arrive('a');
  expect(states()).toEqual(['a checking', 'b uploading', 'c uploading']);
});

test('files can be sent when the server has checked them', async () => {
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
  // Nothing is unknown any more.
  expect(timers).toEqual([]);
  expect(server.asked).toBe(3);
});

test('refused files alone cannot be sent', async () => {
  const { queue, pick, settle, ring, arrive, begun } = setUp();
  await begun();
  queue.add([pick('bad')]);
  await settle();
  arrive('bad', 'refused');
  await ring();
  expect(queue.entries[0]?.state).toBe('refused');
  expect(queue.ready).toBe(false);
});

test('makes requests less and less often if the server does not respond, and at once when the network is back', async () => {
  const { queue, server, pick, settle, ring, arrive, begun } = setUp();
  await begun();
  queue.add([pick('a')]);
  await settle();
  arrive('a');
  server.responses = false;
  const pauses: number[] = [];
  for (let times = 0; times < 8; times += 1) pauses.push(...(await ring()));
  expect(pauses).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
  server.responses = true;
  queue.online();
  // The interrupted pause causes no more requests.
  expect(await ring()).toEqual([30_000, 0]);
  expect(server.asked).toBe(10);
  expect(await ring()).toEqual([1000]);
});

test('makes requests less often during a long check', async () => {
  const { queue, pick, settle, ring, arrive, begun } = setUp();
  await begun();
  queue.add([pick('a')]);
  await settle();
  arrive('a');
  for (let times = 0; times < 60; times += 1) expect(await ring()).toEqual([1000]);
  expect(await ring()).toEqual([5000]);
});

test('ignores a response from before a file had arrived', async () => {
  const { queue, server, uploads, pick, states, settle, ring, begun } = setUp();
  await begun();
  server.files = [
    {
      id: 'a',
      name: 'a',
      path: 'a',
      sizeBytes: 100,
      receivedBytes: 50,
      state: 'uploading',
      scan: null,
      unscannedReason: null,
      refusal: null,
    },
  ];
  queue.add([pick('a')]);
  await settle();
  uploads[0]?.options.onUploadUrlAvailable?.();
  queue.recheck();
  const ringing = ring();
  uploads[0]?.options.onSuccess?.({} as never);
  await ringing;
  expect(states()).toEqual(['a checking']);
  // After another request, the file counts as lost: it is still here and can be sent again.
  await ring();
  expect(states()).toEqual(['a failed']);
});

test('asks for the files again if sending is refused, and shows files that were not known here', async () => {
  const { queue, server, pick, states, settle, ring, arrive, become, begun } = setUp();
  await begun();
  queue.add([pick('a'), pick('b')]);
  await settle();
  arrive('a', 'ready');
  arrive('b', 'ready');
  await ring();
  expect(queue.ready).toBe(true);
  become('a', 'checking');
  server.files.push({
    id: 'x',
    name: 'elsewhere',
    path: 'elsewhere',
    sizeBytes: 9,
    receivedBytes: 3,
    state: 'uploading',
    scan: null,
    unscannedReason: null,
    refusal: null,
  });
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

test('stops everything when the link has ended', async () => {
  const { queue, uploads, server, timers, pick, states, settle, ring, begun } = setUp();
  await begun();
  let ended = 0;
  queue.onEnded = () => (ended += 1);
  queue.add(['a', 'b', 'c'].map((name) => pick(name)));
  await settle();
  server.ended = true;
  uploads[0]?.options.onError?.(responseError(410));
  await ring();
  expect(ended).toBe(1);
  expect(states()).toEqual(['a failed', 'b paused', 'c paused']);
  expect(timers).toEqual([]);
});

test('enforces limits, ignores duplicates and renames files with the same name', () => {
  const { queue, pick, states } = setUp();
  expect(queue.add([pick('large', 1001), pick('a.txt'), pick('a.txt')])).toEqual({
    count: 2,
    tooMany: false,
  });
  expect(queue.entries[0]).toMatchObject({ state: 'refused', obstacle: 'too_large' });
  queue.add([pick('a.txt', 100, 'folder/a.txt')]);
  expect(states()).toEqual(['large refused', 'a.txt uploading', 'a.txt uploading']);
  expect(queue.add(['1', '2', '3', '4'].map((name) => pick(name))).tooMany).toBe(true);
  // One that cannot be sent takes the place of no other.
  expect(queue.entries).toHaveLength(6);
});

test('a paused file lets the next one start, and resumes the same upload', async () => {
  const { queue, uploads, pick, states, settle, open, arrive } = setUp();
  queue.add(['a', 'b', 'c'].map((name) => pick(name)));
  await settle();
  open('a');
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

test('a file that is paused and resumed before it starts is started once', async () => {
  const { queue, uploads, pick, settle } = setUp();
  queue.add([pick('a')]);
  queue.pause(1);
  queue.resume(1);
  await settle();
  expect(uploads).toMatchObject([{ name: 'a', starts: 1 }]);
});

describe('while the server creates its upload', () => {
  const unfinished = {
    sizeBytes: 100,
    receivedBytes: 0,
    state: 'uploading',
    scan: null,
    unscannedReason: null,
    refusal: null,
  } as const;
  const opening = async () => {
    const world = setUp();
    await world.begun();
    world.queue.add([world.pick('a')]);
    await world.settle();
    world.arrive('a', 'ready');
    await world.ring();
    world.queue.add([world.pick('b')]);
    await world.settle();
    return world;
  };

  test('a file that is removed is removed from the server too, and nothing is sent before', async () => {
    const { queue, uploads, removed, settle, open } = await opening();
    const gone = queue.remove(2);
    await settle();
    expect(queue.ready).toBe(false);
    expect(uploads[1]).toMatchObject({ name: 'b', aborts: 0 });
    open('b');
    expect(await gone).toBe(true);
    expect(uploads[1]).toMatchObject({ name: 'b', aborts: 1 });
    expect(removed).toEqual(['https://files.example.com/u/tus/b']);
    expect(queue.ready).toBe(true);
  });

  test('a removed file is gone if the server does not create the upload', async () => {
    const { queue, uploads, removed } = await opening();
    const gone = queue.remove(2);
    uploads[1]?.options.onError?.(responseError(503));
    expect(await gone).toBe(true);
    expect(removed).toEqual([]);
    expect(queue.ready).toBe(true);
  });

  test.each(['removed', 'paused'])('a file that is %s is not shown as one of an earlier visit', async (how) => {
    const { queue, server, pick, states, settle, ring, arrive, open } = setUp();
    queue.begin();
    queue.add([pick('a'), pick('b')]);
    await settle();
    arrive('a', 'ready');
    server.files.push({ ...unfinished, id: 'b', name: 'b', path: 'b' });
    if (how === 'removed') void queue.remove(2);
    else queue.pause(2);
    await ring();
    open('b');
    await settle();
    await ring();
    expect(server.files.map(({ id }) => id)).toEqual(how === 'removed' ? ['a'] : ['a', 'b']);
    expect(states()).toEqual(how === 'removed' ? ['a ready'] : ['a ready', 'b paused']);
    expect(queue.ready).toBe(how === 'removed');
  });

  test('a file that is paused stops, and continues the same upload', async () => {
    const { queue, uploads, settle, open } = await opening();
    queue.pause(2);
    open('b');
    expect(uploads[1]).toMatchObject({ name: 'b', starts: 1, aborts: 1 });
    queue.resume(2);
    await settle();
    expect(uploads[1]).toMatchObject({ name: 'b', starts: 2, aborts: 1 });
  });

  test('a file that is paused and resumed continues', async () => {
    const { queue, uploads, settle, open } = await opening();
    queue.pause(2);
    queue.resume(2);
    await settle();
    open('b');
    expect(uploads[1]).toMatchObject({ name: 'b', starts: 1, aborts: 0 });
  });

  test('an upload whose response was lost is removed, and not shown as another file', async () => {
    const { queue, uploads, removed, server, states, settle, ring, open } = await opening();
    queue.offline();
    expect(uploads[1]).toMatchObject({ name: 'b', aborts: 1 });
    server.files.push({ ...unfinished, id: 'lost', name: 'b', path: 'b' });
    queue.online();
    await settle();
    open('b');
    queue.recheck();
    await ring();
    expect(states()).toEqual(['a ready', 'b uploading']);
    expect(removed).toEqual(['/u/tus/lost']);
  });
});

test('retries after temporary problems, however long they last; a refusal is a failure', async () => {
  const { queue, uploads, timers, pick, states, settle, ring } = setUp();
  queue.add([pick('a'), pick('b'), pick('c')]);
  await settle();
  queue.offline();
  expect(states()).toEqual(['a offline', 'b offline', 'c waiting']);
  queue.online();
  expect(states()).toEqual(['a uploading', 'b uploading', 'c waiting']);
  uploads[1]?.options.onError?.(responseError(415));
  expect(states()).toEqual(['a uploading', 'b failed', 'c uploading']);
  timers.splice(0);
  for (const status of [undefined, 500, 502, 503, 408, 409, 423, 429, 200]) {
    uploads[0]?.options.onError?.(responseError(status));
    expect(states()[0]).toBe('a offline');
    expect(await ring()).toContain(15_000);
    expect(states()).toEqual(['a uploading', 'b failed', 'c uploading']);
  }
  queue.resume(2);
  expect(states()[1]).toBe('b waiting');
});

test('a file for which the account has no room is not retried until the person asks', async () => {
  const { queue, uploads, timers, news, pick, states, settle } = setUp();
  queue.add([pick('a'), pick('b'), pick('c')]);
  await settle();
  timers.splice(0);
  uploads[0]?.options.onError?.(responseError(507, 'storage_full'));
  expect(states()).toEqual(['a failed', 'b uploading', 'c uploading']);
  expect(news).toEqual([{ name: 'a', state: 'failed', obstacle: 'storage_full' }]);
  expect(timers.map(({ milliseconds }) => milliseconds)).not.toContain(15_000);
  expect(queue.ready).toBe(false);
  queue.resume(1);
  expect(states()[0]).toBe('a waiting');
});

test('a file that can no longer be read fails, although it looks like a network failure', async () => {
  const { queue, uploads, pick, settle } = setUp();
  const picked = pick('a');
  picked.file.slice = () => ({ arrayBuffer: () => Promise.reject(new Error('gone')) }) as unknown as Blob;
  queue.add([picked]);
  await settle();
  uploads[0]?.options.onError?.(responseError());
  await settle();
  expect(queue.entries).toMatchObject([{ state: 'refused', obstacle: 'unreadable' }]);
});

test.each([
  [400, 'invalid_name', 'refused', 'invalid_name'],
  [413, 'too_large', 'failed', 'link_full'],
  [413, 'too_large_to_scan', 'refused', 'too_large_to_scan'],
  [422, 'infected', 'refused', 'infected'],
  [400, undefined, 'failed', 'unknown'],
])('a response of %i with the code %s leaves the file %s, because of %s', async (status, code, state, obstacle) => {
  const { queue, uploads, pick, settle } = setUp();
  queue.add([pick('a')]);
  await settle();
  uploads[0]?.options.onError?.(responseError(status, code));
  expect(queue.entries).toMatchObject([{ state, obstacle }]);
  expect(queue.ready).toBe(false);
});

test('a file that could not be sent can be chosen again', async () => {
  const { queue, pick, states, settle } = setUp();
  const large = pick('large', 1001);
  queue.add([large, pick('a')]);
  queue.add([large]);
  await settle();
  expect(states()).toEqual(['a uploading', 'large refused']);
});

test('an upload of an earlier visit continues only with the very same file', async () => {
  const { queue, uploads, removed, server, pick, states, settle, begun } = setUp(['2']);
  server.files = [
    {
      id: '1',
      name: 'done',
      path: 'done',
      sizeBytes: 9,
      receivedBytes: 9,
      state: 'ready',
      scan: 'clean',
      unscannedReason: null,
      refusal: null,
    },
    {
      id: '2',
      name: 'same',
      path: 'same',
      sizeBytes: 100,
      receivedBytes: 40,
      state: 'uploading',
      scan: null,
      unscannedReason: null,
      refusal: null,
    },
    {
      id: '3',
      name: 'other',
      path: 'other',
      sizeBytes: 100,
      receivedBytes: 60,
      state: 'uploading',
      scan: null,
      unscannedReason: null,
      refusal: null,
    },
    {
      id: '4',
      name: 'virus',
      path: 'virus',
      sizeBytes: 9,
      receivedBytes: 9,
      state: 'refused',
      scan: null,
      unscannedReason: null,
      refusal: null,
    },
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
  // These may be other bytes, so the old part is removed and the file starts again.
  expect(removed).toEqual(['/u/tus/3']);
  expect(queue.entries.map((entry) => entry.sentBytes)).toEqual([9, 40, 0, 9]);
});

test('shows the files of an earlier visit when the server responds, however late', async () => {
  const { server, states, ring, begun } = setUp();
  server.files = [
    {
      id: '1',
      name: 'a',
      path: 'a',
      sizeBytes: 9,
      receivedBytes: 9,
      state: 'checking',
      scan: null,
      unscannedReason: null,
      refusal: null,
    },
  ];
  server.responses = false;
  await begun();
  expect(states()).toEqual([]);
  server.responses = true;
  await ring();
  expect(states()).toEqual(['a checking']);
});

test('a removed file is removed on the server too, and later responses do not bring it back', async () => {
  const { queue, uploads, removed, pick, states, settle } = setUp();
  queue.add([pick('a')]);
  await settle();
  uploads[0]?.options.onUploadUrlAvailable?.();
  expect(await queue.remove(1)).toBe(true);
  uploads[0]?.options.onSuccess?.({} as never);
  expect(states()).toEqual([]);
  expect(removed).toEqual(['https://files.example.com/u/tus/a']);
});

test('a file that the server does not remove comes back to the list, and nothing is sent meanwhile', async () => {
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

test('the speed is that of recent bytes', async () => {
  const { queue, uploads, pick, settle } = setUp();
  queue.add([pick('a', 1000)]);
  await settle();
  for (const sent of [0, 100, 200, 300]) uploads[0]?.options.onProgress?.(sent, 1000);
  expect(queue.total).toEqual({ sentBytes: 300, sizeBytes: 1000, bytesPerSecond: 100 });
});

describe('all files together', () => {
  test('never move back after an interruption, and leave out a file that is lost', async () => {
    const { queue, uploads, server, pick, settle, ring, arrive, begun } = setUp();
    await begun();
    queue.add([pick('a'), pick('b')]);
    await settle();
    const shown: number[] = [];
    const progress = (upload: number, sent: number) => {
      uploads[upload]?.options.onProgress?.(sent, 100);
      shown.push(queue.total.sentBytes);
    };
    for (const sent of [40, 80, 60, 70]) progress(0, sent);
    for (const sent of [10, 0, 50]) progress(1, sent);
    expect(shown).toEqual([40, 80, 80, 80, 80, 80, 120]);
    arrive('a');
    expect(queue.total.sentBytes).toBe(150);
    server.files = [];
    await ring();
    expect(queue.entries[0]).toMatchObject({ state: 'failed', sentBytes: 0 });
    // It is no longer one of the files that will be sent.
    expect(queue.total).toMatchObject({ sentBytes: 50, sizeBytes: 100 });
  });

  test('leave out what was refused; more files make the whole larger', async () => {
    const { queue, pick, settle, ring, arrive, begun } = setUp();
    await begun();
    queue.add([pick('a'), pick('bad')]);
    await settle();
    arrive('a', 'ready');
    arrive('bad', 'refused');
    await ring();
    expect(queue.total).toMatchObject({ sentBytes: 100, sizeBytes: 100 });
    queue.add([pick('c', 300)]);
    expect(queue.total).toMatchObject({ sentBytes: 100, sizeBytes: 400 });
    queue.removeAll('refused');
    expect(queue.total).toMatchObject({ sentBytes: 100, sizeBytes: 400 });
  });
});

describe('whether the server can be reached', () => {
  test('changes with the first request without a response, and with the first response', async () => {
    const { queue, uploads, server, pick, settle, ring, arrive, begun } = setUp();
    const told: boolean[] = [];
    queue.onReachable = (reachable) => told.push(reachable);
    await begun();
    queue.add([pick('a')]);
    await settle();
    const lost = Object.assign(responseError(), { name: 'DetailedError' }) as DetailedError;
    expect(uploads[0]?.options.onShouldRetry?.(lost, 0, {})).toBe(true);
    expect([told, queue.reachable]).toEqual([[false], false]);
    queue.online();
    expect(told).toEqual([false, true]);
    arrive('a');
    server.responses = false;
    await ring();
    expect(told).toEqual([false, true, false]);
    server.responses = true;
    await ring();
    expect(told).toEqual([false, true, false, true]);
  });

  test('changes when the browser reports it', async () => {
    const { queue, pick, settle } = setUp();
    queue.add([pick('a')]);
    await settle();
    queue.offline();
    expect(queue.reachable).toBe(false);
    queue.online();
    expect(queue.reachable).toBe(true);
  });
});

describe('a folder', () => {
  test('gives each file its path, and a file that was chosen by itself none', async () => {
    const { queue, uploads, pick, settle } = setUp();
    queue.add([pick('a.txt', 100, 'tree/inner/a.txt'), pick('b.txt')]);
    await settle();
    expect(uploads.map(({ options }) => options.metadata)).toMatchObject([
      { filename: 'a.txt', path: 'tree/inner/a.txt' },
      { filename: 'b.txt' },
    ]);
    expect(uploads[1]?.options.metadata).not.toHaveProperty('path');
    expect(queue.entries.map(({ path }) => path)).toEqual(['tree/inner/a.txt', undefined]);
  });
});

describe('a file that was chosen on an earlier visit', () => {
  const chosen = (name: string, path = name): Chosen => ({
    name,
    path: path === name ? undefined : path,
    sizeBytes: 100,
    fingerprint: `waybill|draft|${path}|100|1`,
  });
  const arrived: DraftFile[] = [
    {
      id: '1',
      name: 'a.txt',
      path: 'one/a.txt',
      sizeBytes: 100,
      receivedBytes: 100,
      state: 'ready',
      scan: 'clean',
      unscannedReason: null,
      refusal: null,
    },
    {
      id: '2',
      name: 'a (2).txt',
      path: 'two/a.txt',
      sizeBytes: 100,
      receivedBytes: 40,
      state: 'uploading',
      scan: null,
      unscannedReason: null,
      refusal: null,
    },
  ];
  const earlier = [chosen('a.txt', 'one/a.txt'), chosen('a (2).txt', 'two/a.txt'), chosen('b.txt'), chosen('c.txt')];

  test('is asked for again, even if the server does not know it; choosing the same folder resumes all of it', async () => {
    const { queue, uploads, server, pick, states, settle, begun } = setUp(['2'], earlier);
    server.files = arrived;
    let known = false;
    void queue.known.then(() => (known = true));
    await settle();
    // A file that is added at this point would start from the beginning.
    expect(known).toBe(false);
    await begun();
    expect(known).toBe(true);
    expect(states()).toEqual(['a.txt ready', 'a (2).txt interrupted', 'b.txt interrupted', 'c.txt interrupted']);
    expect(queue.ready).toBe(false);
    queue.add([pick('a.txt', 100, 'one/a.txt'), pick('a.txt', 100, 'two/a.txt'), pick('b.txt')]);
    await settle();
    expect(states()).toEqual(['a.txt ready', 'a (2).txt uploading', 'b.txt uploading', 'c.txt interrupted']);
    expect(uploads.map(({ name, resumed }) => [name, resumed])).toEqual([
      ['a.txt', true],
      ['b.txt', false],
    ]);
  });

  test('can be discarded with all others', async () => {
    const { queue, removed, settle, server, states, begun } = setUp([], earlier);
    server.files = arrived;
    await begun();
    queue.removeAll('interrupted');
    expect(states()).toEqual(['a.txt ready']);
    await settle();
    expect(removed).toEqual(['/u/tus/2']);
  });
});

test('the other files can be sent without the refused ones when they are ready', async () => {
  const { queue, pick, settle, ring, arrive, become, begun } = setUp();
  const sent: string[] = [];
  const intent = new SendIntent(
    {
      queue,
      send: (message) => Promise.resolve('sent' as const).finally(() => sent.push(message)),
      remember: () => {},
      after: () => {},
    },
    { written: 'Here', pressed: false },
  );
  queue.onChange = () => intent.check();
  await begun();
  queue.add([pick('bad')]);
  await settle();
  arrive('bad', 'refused');
  await ring();
  queue.add([pick('good')]);
  await settle();
  intent.press();
  await settle();
  expect([intent.state, queue.entries.map(({ name }) => name)]).toEqual(['waiting', ['good']]);
  arrive('good');
  await ring();
  expect(sent).toEqual([]);
  become('good', 'ready');
  await ring();
  expect(sent).toEqual(['Here']);
});
