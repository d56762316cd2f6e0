import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { WaybillError } from '../errors.ts';
import type { Runtime } from '../runtime.ts';
import { collect } from '../testing/collect.ts';
import { fastRuntime } from '../testing/fast-runtime.ts';
import { type Drop, type InboxServer, maxAttempts, type Queued, startInboxServer } from '../testing/inbox-server.ts';
import { tickingRuntime } from '../testing/ticking-runtime.ts';
import { refuse, succeed } from '../testing/wire-server.ts';
import type { WorkEntry } from './work-entry.ts';
import type { InboxClaim, WorkOptions, WorkProblem } from './work-options.ts';

let folder: string;
let stop: AbortController;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'client-work-'));
  stop = new AbortController();
});
afterEach(() => rmSync(folder, { recursive: true }));

/** The machine may be busy. */
const patience = { timeout: 30_000 };
const drops = (count: number): Drop[] =>
  Array.from({ length: count }, (_, index) => ({ url: `d${index}`, files: { a: `content ${index}` } }));

/** Starts to work, with a client that tries each request twice, and a clock that is faster than the machine's. */
function startWork(
  server: InboxServer,
  handler: (entry: WorkEntry) => Promise<void>,
  options: WorkOptions = {},
  runtime: Runtime = fastRuntime(),
) {
  const retry = { maxAttempts: 2, initialDelayMs: 1, maxRetryAfterMs: 1 };
  const client = server.client({ runtime, retry });
  const problems: WorkProblem[] = [];
  const onError = (problem: WorkProblem) => void problems.push(problem);
  const ended = client.inbox.work(handler, { signal: stop.signal, pollSeconds: 10, onError, ...options });
  return { ended, problems, outcomes: () => problems.map(({ outcome }) => outcome) };
}

const acknowledged = (server: InboxServer) => [...server.queue.values()].map((entry) => entry.acknowledged);
const handled = async () => undefined;
/** Ends when the entry's work is to stop. */
const untilAborted = (entry: WorkEntry) =>
  new Promise<void>((_resolve, reject) => {
    const end = () => reject(new Error('aborted'));
    if (entry.signal.aborted) end();
    entry.signal.addEventListener('abort', end, { once: true });
  });
const queuedEntry = (server: InboxServer, id = 'd0') => server.queue.get(id) as Queued;
const countRequests = (server: InboxServer, action: string) =>
  server.paths().filter((path) => path.endsWith(action)).length;

test('every entry is handled and acknowledged once, by no more handlers at a time than allowed', async () => {
  await using server = await startInboxServer(drops(10));
  const [seen, running] = [[] as string[], { now: 0, most: 0 }];
  const three = Promise.withResolvers<void>();
  const work = startWork(
    server,
    async ({ id }) => {
      running.now += 1;
      running.most = Math.max(running.most, running.now);
      if (running.now === 3) three.resolve();
      await three.promise;
      running.now -= 1;
      seen.push(id);
    },
    { concurrency: 3, untilEmpty: true },
  );
  await work.ended;
  expect(seen.toSorted()).toEqual(drops(10).map(({ url }) => url));
  expect(acknowledged(server)).toEqual(Array.from({ length: 10 }, () => 1));
  expect(countRequests(server, '/ack')).toBe(10);
  expect(running.most).toBe(3);
});

test('files are downloaded to a folder once, and as streams that are checked', async () => {
  const files = { a: 'first', b: 'second' };
  await using server = await startInboxServer([{ url: 'd0', files, paths: { a: 'sub/../name', b: 'sub/name' } }]);
  const streamed: string[] = [];
  const work = startWork(
    server,
    async (entry) => {
      for (const file of entry.files) {
        const { path } = await entry.downloadToFolder(file, folder);
        expect(readFileSync(path, 'utf8')).toBe(files[file.name as 'a' | 'b']);
        const { bytes } = await entry.download(file);
        streamed.push(Buffer.concat(await collect(bytes)).toString());
      }
      if (entry.attempts === 1) throw new Error('later');
    },
    { onError: () => server.nextPull(), untilEmpty: true },
  );
  await work.ended;
  expect(readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted()).toEqual([
    'sub',
    'sub/__',
    'sub/__/name',
    'sub/name',
  ]);
  expect(streamed).toEqual(['first', 'second', 'first', 'second']);
  expect(server.fetched).toHaveLength(6);
});

test('a file of another entry is not downloaded to a folder', async () => {
  await using server = await startInboxServer(drops(1));
  const work = startWork(
    server,
    async (entry) => {
      for (const file of entry.files) await entry.downloadToFolder({ ...file, id: 'of another' }, folder);
    },
    { untilEmpty: true },
  );
  await work.ended;
  expect(work.problems).toMatchObject([{ outcome: 'refused', error: { code: 'invalid_argument' } }]);
  expect(server.fetched).toEqual([]);
});

test('the names of all files of an entry are made safe once', async () => {
  const names = Array.from({ length: 20 }, (_, index) => `name ${index}`);
  const files = Object.fromEntries(names.map((name) => [name, name]));
  await using server = await startInboxServer([{ url: 'd0', files }]);
  let reads = 0;
  const work = startWork(
    server,
    async (entry) => {
      for (const file of entry.files) {
        const { path } = file;
        Object.defineProperty(file, 'path', { get: () => ((reads += 1), path) });
      }
      for (const file of entry.files) await entry.downloadToFolder(file, folder);
    },
    { untilEmpty: true },
  );
  await work.ended;
  expect(readdirSync(folder).toSorted()).toEqual(names.toSorted());
  expect(reads).toBeLessThan(5 * names.length);
});

test('another file of the same name is never replaced', async () => {
  await using server = await startInboxServer(drops(1));
  writeFileSync(join(folder, 'a'), 'mine');
  const work = startWork(
    server,
    async (entry) => {
      for (const file of entry.files) await entry.downloadToFolder(file, folder);
    },
    { untilEmpty: true },
  );
  await work.ended;
  expect(work.problems).toMatchObject([{ outcome: 'refused', error: { code: 'target_exists' } }]);
  expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('mine');
});

test('an entry that a handler refuses waits as long as the server chooses, and is parked in the end', async () => {
  await using server = await startInboxServer(drops(1));
  const failure = new Error('no');
  const work = startWork(server, async () => Promise.reject(failure), { untilEmpty: true, onError: undefined });
  await work.ended;
  expect(queuedEntry(server).delays).toEqual([30]);
  expect(JSON.parse(String(server.requests.find(({ path }) => path.endsWith('nack'))?.body))).not.toHaveProperty(
    'delay_seconds',
  );
  for (let attempt = 2; attempt <= maxAttempts; attempt += 1) {
    server.nextPull();
    const next = startWork(server, async () => Promise.reject(failure), { untilEmpty: true });
    await next.ended;
    const entry = attempt < maxAttempts ? { parked_at: null } : { available_at: null };
    expect(next.problems).toMatchObject([{ outcome: 'refused', error: failure, entry }]);
  }
  expect(queuedEntry(server)).toMatchObject({ parked: true, acknowledged: 0, attempts: maxAttempts });
});

test('entries of a process that was killed between claim and acknowledgement are given back at once', async () => {
  await using server = await startInboxServer(drops(2));
  const claims: InboxClaim[] = [{ key: 'of the killed one', max: 2 }];
  const claimStore = {
    list: async () => [...claims],
    begin: async (claim: InboxClaim) => void claims.push(claim),
    end: async ({ key }: InboxClaim) =>
      void claims.splice(
        claims.findIndex((claim) => claim.key === key),
        1,
      ),
  };
  await server.client().inbox.claim({ idempotencyKey: 'of the killed one', max: 2 });
  await startWork(server, handled, { untilEmpty: true, claimStore }).ended;
  const settled = expect.objectContaining({ attempts: 2, acknowledged: 1, delays: [0] });
  expect([...server.queue.values()]).toEqual([settled, settled]);
  expect(claims).toEqual([]);
});

test('a claim that was not made before the work was stopped is not stored for another process', async () => {
  await using server = await startInboxServer(drops(1));
  const claims: InboxClaim[] = [];
  const claimStore = {
    list: async () => [],
    begin: async (claim: InboxClaim) => {
      claims.push(claim);
      stop.abort();
    },
    end: async () => void claims.pop(),
  };
  await startWork(server, handled, { claimStore }).ended;
  expect(claims).toEqual([]);
  expect(countRequests(server, 'claim')).toBe(0);
});

test('an entry whose worker was killed is handled when its lease has ended', async () => {
  await using server = await startInboxServer(drops(1));
  await server.client().inbox.claim();
  const work = startWork(server, handled);
  await expect.poll(() => countRequests(server, 'claim'), patience).toBeGreaterThan(2);
  expect(queuedEntry(server).acknowledged).toBe(0);
  queuedEntry(server).lease = undefined;
  await expect.poll(() => queuedEntry(server), patience).toMatchObject({ acknowledged: 1, attempts: 2 });
  stop.abort();
  await work.ended;
});

test('a handler ends when its lease is lost, and its entry is neither acknowledged nor given back', async () => {
  await using server = await startInboxServer(drops(1));
  let isTaken = false;
  const work = startWork(
    server,
    async (entry) => {
      isTaken = true;
      queuedEntry(server).lease = 'of another';
      // The work may even have succeeded.
      await untilAborted(entry).catch(() => undefined);
    },
    { untilEmpty: true },
  );
  await work.ended;
  expect(isTaken).toBe(true);
  expect(work.problems).toMatchObject([{ outcome: 'lost', entry: { id: 'd0' }, error: { code: 'lease_not_held' } }]);
  expect(queuedEntry(server)).toMatchObject({ lease: 'of another', acknowledged: 0, delays: [] });
  expect([countRequests(server, '/ack'), countRequests(server, '/nack')]).toEqual([0, 0]);
});

test('when the work is stopped, handlers end, and what they have not finished is given back at once', async () => {
  await using server = await startInboxServer(drops(3));
  const begun: string[] = [];
  const work = startWork(
    server,
    async (entry) => {
      begun.push(entry.id);
      if (entry.id !== 'd1') await untilAborted(entry);
      // This one finishes nevertheless.
      else await untilAborted(entry).catch(() => undefined);
    },
    { concurrency: 3 },
    fastRuntime(1),
  );
  await expect.poll(() => begun.length, patience).toBe(3);
  stop.abort();
  await work.ended;
  expect(server.queue.get('d0')).toMatchObject({ lease: undefined, delays: [0], acknowledged: 0 });
  expect(server.queue.get('d1')).toMatchObject({ delays: [], acknowledged: 1 });
  expect(server.queue.get('d2')).toMatchObject({ lease: undefined, delays: [0], acknowledged: 0 });
  expect(work.problems).toEqual([]);
});

test.each(['acknowledged', 'given back'])(
  'an entry is %s however long its handler goes on after the stop',
  async (end) => {
    await using server = await startInboxServer(drops(1));
    const clock = fastRuntime(1);
    const graces: (() => void)[] = [];
    // Time passes when the test says so.
    const sleep: Runtime['sleep'] = async (milliseconds, signal) =>
      milliseconds === 2_000
        ? await new Promise((resolve) => graces.push(resolve))
        : await clock.sleep(milliseconds, signal);
    const begun = Promise.withResolvers<void>();
    const client = server.client({ runtime: { ...clock, sleep } });
    const ended = client.inbox.work(
      async (entry) => {
        begun.resolve();
        await untilAborted(entry).catch(() => undefined);
        for (const pass of graces) pass();
        await clock.sleep(0);
        if (end === 'given back') throw new Error('unfinished');
      },
      { signal: stop.signal },
    );
    await begun.promise;
    stop.abort();
    await ended;
    const settled = end === 'acknowledged' ? { acknowledged: 1, delays: [] } : { acknowledged: 0, delays: [0] };
    expect(queuedEntry(server)).toMatchObject({ lease: undefined, ...settled });
    expect(graces).toHaveLength(2);
  },
);

test('an entry is not parked because its worker was stopped in the last attempt', async () => {
  await using server = await startInboxServer(drops(1));
  await startWork(server, async () => Promise.reject(new Error('no')), { untilEmpty: true }).ended;
  Object.assign(queuedEntry(server), { attempts: maxAttempts - 1, availableIn: 0 });
  const work = startWork(server, untilAborted, {}, fastRuntime(1));
  await expect.poll(() => countRequests(server, 'GET inbox/d0'), patience).toBe(2);
  stop.abort();
  await work.ended;
  expect(queuedEntry(server)).toMatchObject({ attempts: 0, parked: false });
});

/** Works on an entry that is parked when it is returned after a fault of the server, and then handles it. */
async function returnInLastAttempt(server: InboxServer) {
  await startWork(server, async () => Promise.reject(new Error('no')), { untilEmpty: true }).ended;
  Object.assign(queuedEntry(server), { attempts: maxAttempts - 1, availableIn: 0 });
  const work = startWork(server, async (entry) => {
    if (entry.attempts === maxAttempts) throw new WaybillError('internal', 'Later.');
  });
  const settled = expect.poll(() => queuedEntry(server), patience).toMatchObject({ acknowledged: 1, parked: false });
  await Promise.race([work.ended, settled]);
  stop.abort();
  await work.ended;
  return work;
}

test('an entry whose release is not answered is released with the same key', async () => {
  await using server = await startInboxServer(drops(1));
  let lost = 0;
  server.intercept = (path, response) => {
    if (path === 'inbox/d0/release' && lost < 3) {
      lost += 1;
      response.end = () => response.destroy();
    }
    return false;
  };
  await returnInLastAttempt(server);
  const keys = server.requests
    .filter(({ path }) => path === 'inbox/d0/release')
    .map(({ headers }) => headers['idempotency-key']);
  expect(keys).toHaveLength(4);
  expect(new Set(keys).size).toBe(1);
});

test('an entry that a person has released first does not end the work', async () => {
  await using server = await startInboxServer(drops(1));
  server.intercept = (path) => {
    if (path === 'inbox/d0/release') Object.assign(queuedEntry(server), { parked: false, attempts: 0, availableIn: 0 });
    return false;
  };
  const work = await returnInLastAttempt(server);
  expect(work.problems).toMatchObject([{ outcome: 'returned', entry: { id: 'd0', parked_at: null } }]);
});

test('an entry is not parked because its lease ended during an outage in the last attempt', async () => {
  await using server = await startInboxServer(drops(1));
  let isAway = false;
  server.intercept = (_path, response) => isAway && refuseAll(response);
  await startWork(server, async () => Promise.reject(new Error('no')), { untilEmpty: true }).ended;
  Object.assign(queuedEntry(server), { attempts: maxAttempts - 1, availableIn: 0 });
  const work = startWork(server, async (entry) => {
    if (entry.attempts < maxAttempts) return;
    isAway = true;
    await untilAborted(entry);
  });
  await expect.poll(() => work.outcomes(), patience).toContain('lost');
  // The clock of the server may be behind.
  isAway = false;
  const countReads = () => countRequests(server, 'GET inbox/d0');
  const before = countReads();
  await expect.poll(countReads, patience).toBeGreaterThan(before + 1);
  Object.assign(queuedEntry(server), { lease: undefined, parked: true });
  await expect.poll(() => queuedEntry(server), patience).toMatchObject({ acknowledged: 1, parked: false });
  stop.abort();
  await work.ended;
});

function refuseAll(response: ServerResponse): true {
  refuse(response, 503, 'unavailable');
  return true;
}

test('a server that is away for a while refuses no entry, and the work continues', async () => {
  await using server = await startInboxServer(drops(4));
  let refused = 0;
  // Every kind of request fails as often as both attempts of a call, and once more.
  const seen = new Map<string, number>();
  server.intercept = (path, response) => {
    const kind = path.replace(/d\d/, '').replace(/\?.*/, '');
    const count = (seen.get(kind) ?? 0) + 1;
    seen.set(kind, count);
    if (count > 3) return false;
    refused += 1;
    return refuseAll(response);
  };
  const work = startWork(server, async (entry) => {
    for (const file of entry.files) await collect((await entry.download(file)).bytes);
  });
  await expect.poll(() => acknowledged(server), patience).toEqual([1, 1, 1, 1]);
  stop.abort();
  await work.ended;
  expect([...server.queue.values()].map(({ attempts, delays }) => ({ attempts, delays }))).toEqual(
    Array.from({ length: 4 }, () => ({ attempts: 1, delays: [] })),
  );
  expect(new Set(work.outcomes())).toEqual(new Set(['waiting', 'kept']));
  expect(refused).toBeGreaterThan(10);
});

test.each([
  ['ack', 'of the server', (response: ServerResponse) => refuse(response, 500, 'internal')],
  ['nack', 'of the server', (response: ServerResponse) => refuse(response, 500, 'internal')],
  ['ack', 'of a proxy', (response: ServerResponse) => response.writeHead(500).end('<h1>Sorry</h1>')],
])(
  'the %s of an entry that fails because of an error %s is repeated, and the work continues',
  async (action, _whose, fail) => {
    await using server = await startInboxServer(drops(2));
    let failures = 0;
    server.intercept = (path, response) => {
      if (path !== `inbox/d0/${action}` || failures === 2) return false;
      failures += 1;
      fail(response);
      return true;
    };
    let calls = 0;
    const work = startWork(server, async () => {
      calls += 1;
      if (action === 'nack' && calls === 1) throw new Error('no');
    });
    await Promise.race([work.ended, expect.poll(() => queuedEntry(server, 'd1').acknowledged, patience).toBe(1)]);
    stop.abort();
    await work.ended;
    expect(queuedEntry(server)).toMatchObject(action === 'ack' ? { acknowledged: 1 } : { delays: [30] });
    expect([failures, calls]).toEqual([2, 2]);
    expect(work.outcomes()).toEqual(['kept', 'kept', ...(action === 'ack' ? [] : ['refused'])]);
  },
);

test('entries whose ack or nack always fails are reported, and their slots are free for others', async () => {
  await using server = await startInboxServer(drops(3));
  using runtime = tickingRuntime();
  server.intercept = (path, response) => {
    if (path !== 'inbox/d0/ack' && path !== 'inbox/d1/nack') return false;
    refuse(response, 500, 'internal');
    return true;
  };
  const work = startWork(
    server,
    async ({ id }) => {
      if (id === 'd1') throw new Error('no');
    },
    { concurrency: 2 },
    // No lease ends because the machine is busy.
    runtime,
  );
  await expect.poll(() => queuedEntry(server, 'd2').acknowledged, { timeout: 90_000 }).toBe(1);
  stop.abort();
  await work.ended;
  const lost = work.problems.filter(({ outcome }) => outcome === 'lost');
  const isNotSettled = { code: 'internal' };
  expect(lost.slice(0, 2).map(({ error, entry }) => ({ error, id: entry?.id }))).toMatchObject(
    expect.arrayContaining([
      { error: expect.objectContaining(isNotSettled), id: 'd0' },
      { error: expect.objectContaining(isNotSettled), id: 'd1' },
    ]),
  );
  // The leases were held until then, so no other program has worked on the entries.
  expect(countRequests(server, 'inbox/d0/renew')).toBeGreaterThan(5);
  expect(queuedEntry(server).acknowledged).toBe(0);
}, 120_000);

test('a renewal that fails because of an error of the server does not end the work on the entry', async () => {
  await using server = await startInboxServer(drops(1));
  let failures = 0;
  server.intercept = (path, response) => {
    if (path !== 'inbox/d0/renew' || failures === 2) return false;
    failures += 1;
    refuse(response, 500, 'internal');
    return true;
  };
  const work = startWork(
    server,
    async (entry) => {
      await expect.poll(() => entry.signal.aborted || countRequests(server, '/renew') === 3, patience).toBe(true);
      entry.signal.throwIfAborted();
    },
    { untilEmpty: true },
  );
  await work.ended;
  expect(queuedEntry(server).acknowledged).toBe(1);
  expect(work.problems).toEqual([]);
});

test('a claim whose responses are lost is repeated, so that no entry stays leased unnoticed', async () => {
  await using server = await startInboxServer(drops(1));
  let lost = 0;
  server.intercept = (path, response) => {
    if (path === 'inbox/claim' && lost < 5) {
      lost += 1;
      response.end = () => response.destroy();
    }
    return false;
  };
  const work = startWork(server, handled);
  await expect.poll(() => acknowledged(server), patience).toEqual([1]);
  stop.abort();
  await work.ended;
  const keys = server.requests
    .filter(({ path }) => path === 'inbox/claim')
    .map(({ headers }) => headers['idempotency-key']);
  expect(new Set(keys.slice(0, 6)).size).toBe(1);
  expect(queuedEntry(server)).toMatchObject({ attempts: 1 });
});

test('while nothing arrives, one request waits, and an arrival is noticed', async () => {
  const waiting: Drop[] = [];
  await using server = await startInboxServer(waiting);
  let arrive: (() => void) | undefined;
  server.events = (after, response) => {
    if (after === 'end') return succeed(response, { data: [], next_cursor: 'c1' });
    arrive = () => {
      waiting.push(...drops(1));
      succeed(response, { data: [{ type: 'inbox.received' }], next_cursor: 'c2' });
    };
  };
  const work = startWork(server, handled, { pollSeconds: 3_600 });
  await expect.poll(() => arrive, patience).toBeDefined();
  expect(server.paths()).toEqual(['GET events?cursor=end&limit=1', 'POST inbox/claim', 'GET events?cursor=c1&wait=30']);
  arrive?.();
  await expect.poll(() => acknowledged(server), patience).toEqual([1]);
  stop.abort();
  await work.ended;
});

test('an error of the account ends the work, and gives the entries back', async () => {
  await using server = await startInboxServer(drops(2));
  const work = startWork(
    server,
    async (entry) => {
      if (entry.id === 'd0') throw new WaybillError('unauthorized', 'The key was revoked.');
      await untilAborted(entry);
    },
    { concurrency: 2 },
    fastRuntime(1),
  );
  await expect(work.ended).rejects.toMatchObject({ code: 'unauthorized' });
  expect([...server.queue.values()].map(({ lease, acknowledged: done }) => ({ lease, done }))).toEqual([
    { lease: undefined, done: 0 },
    { lease: undefined, done: 0 },
  ]);
});

test('work with an impossible option is refused', async () => {
  await using server = await startInboxServer([]);
  const { inbox } = server.client();
  for (const options of [{ concurrency: 0 }, { concurrency: 101 }, { concurrency: 1.5 }, { pollSeconds: 0 }])
    await expect(inbox.work(handled, options)).rejects.toMatchObject({ code: 'invalid_argument' });
});
