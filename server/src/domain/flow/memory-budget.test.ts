import { fc, test as propertyTest } from '@fast-check/vitest';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { MemoryBudget, type MemoryShare } from './memory-budget.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const waitMs = 10_000;
const slabBytes = 16;
const createBudget = (slabs: number, maxWaiting = 100) =>
  new MemoryBudget({ slabBytes, bytes: slabs * slabBytes, waitMs, maxWaiting });

const live = new AbortController().signal;
const ignore = () => undefined;
const open = (budget: MemoryBudget, owner = 'owner', part = 1, flush: () => void = ignore, signal = live) =>
  budget.openShare(owner, part, { flush, signal });

async function acquire(share: MemoryShare, slabs: number): Promise<Buffer[]> {
  const taken: Buffer[] = [];
  for (let count = 0; count < slabs; count += 1) taken.push(await share.acquire());
  return taken;
}

/** A request for one slab, and its outcome so far. */
function request(share: MemoryShare) {
  const asked = { outcome: 'waiting', slab: undefined as Buffer | undefined };
  share.acquire().then(
    (slab) => Object.assign(asked, { outcome: 'served', slab }),
    (error: Error & { code?: string }) => Object.assign(asked, { outcome: error.code ?? error.message }),
  );
  return asked;
}
const settle = () => vi.advanceTimersByTimeAsync(0);

describe('slabs', () => {
  test('are allocated up to the limit', async () => {
    const budget = createBudget(8);
    const share = open(budget);
    const slabs = await acquire(share, 8);
    expect(slabs.map(({ length }) => length)).toEqual(Array.from({ length: 8 }, () => slabBytes));
    expect(new Set(slabs.map(({ buffer }) => buffer)).size).toBe(8);
    expect(budget.heldBytes).toBe(8 * slabBytes);
    const ninth = request(share);
    await vi.advanceTimersByTimeAsync(waitMs - 1);
    expect(ninth.outcome).toBe('waiting');
    share.release(slabs[3] as Buffer);
    await settle();
    expect(ninth).toEqual({ outcome: 'served', slab: slabs[3] });
  });

  test('beyond those that are kept for reuse are freed at once', async () => {
    const bytes = 64 * 1024;
    const budget = new MemoryBudget({ slabBytes: bytes, bytes: 200 * bytes, waitMs, maxWaiting: 1 });
    const share = open(budget);
    const slabs = await acquire(share, 200);
    for (const slab of slabs) share.release(slab);
    expect(slabs.filter(({ buffer }) => buffer.byteLength === 0)).toHaveLength(200 - 128);
    const again = await acquire(share, 200);
    expect(again.map(({ length }) => length)).toEqual(again.map(() => bytes));
  });

  test('are reused, unless they were discarded', async () => {
    const share = open(createBudget(8));
    const [first, second] = (await acquire(share, 2)) as [Buffer, Buffer];
    share.release(first);
    expect(await share.acquire()).toBe(first);
    share.release(second, 'discard');
    share.release(first, 'discard');
    for (const slab of await acquire(share, 8)) expect([first.buffer, second.buffer]).not.toContain(slab.buffer);
  });

  const step = fc.record({
    upload: fc.nat(5),
    act: fc.constantFrom('acquire', 'acquire', 'acquire', 'release', 'release', 'abort', 'pass'),
    ms: fc.nat(8_000),
  });
  propertyTest.prop([fc.integer({ min: 4, max: 24 }), fc.array(step, { maxLength: 120 })])(
    'never exceed the limit, nor an owner’s part of it, and all of them are released',
    async (slabs, steps) => {
      vi.useFakeTimers();
      try {
        const budget = createBudget(slabs, 20);
        const parts = [1, 1 / 2, 1 / 4];
        const uploads = Array.from({ length: 6 }, (_, nth) => {
          const stop = new AbortController();
          const held: Buffer[] = [];
          const owner = nth % 3;
          // When flushed, an upload releases all but one of its slabs.
          const flush = () => {
            for (const slab of held.splice(1)) share.release(slab);
          };
          const share = open(budget, `owner ${owner}`, parts[owner], flush, stop.signal);
          return { share, held, stop, owner };
        });
        const check = () => {
          const all = uploads.reduce((sum, { held }) => sum + held.length, 0);
          expect(all).toBeLessThanOrEqual(slabs);
          expect(budget.heldBytes).toBe(all * slabBytes);
          for (const [owner, part] of parts.entries()) {
            const own = uploads.filter((upload) => upload.owner === owner);
            const max = Math.max(2, Math.floor(slabs * part));
            expect(own.reduce((sum, { held }) => sum + held.length, 0)).toBeLessThanOrEqual(max);
          }
        };
        for (const { upload, act, ms } of steps) {
          const { share, held, stop } = uploads[upload] as (typeof uploads)[number];
          const slab = held[0];
          if (act === 'acquire') {
            share.acquire().then(
              (taken) => held.push(taken) === 1 && share.setFillingSince(performance.now()),
              () => undefined,
            );
          } else if (act === 'release' && slab) {
            held.shift();
            share.release(slab, ms % 2 === 0 ? 'reuse' : 'discard');
          } else if (act === 'abort') stop.abort(new Error('gone'));
          else await vi.advanceTimersByTimeAsync(ms);
          await settle();
          check();
        }
        for (const { stop } of uploads) stop.abort(new Error('gone'));
        await settle();
        for (const { share, held } of uploads) {
          for (const slab of held.splice(0)) share.release(slab);
          share.close();
        }
        await vi.advanceTimersByTimeAsync(1_000);
        expect([budget.heldBytes, vi.getTimerCount()]).toEqual([0, 0]);
      } finally {
        vi.useRealTimers();
      }
    },
  );
});

describe('an owner', () => {
  test('gets a part of the memory for all of its uploads together', async () => {
    const budget = createBudget(16);
    const [one, other] = [open(budget, 'greedy', 1 / 4), open(budget, 'greedy', 1 / 4)];
    await acquire(one, 2);
    const [slab] = await acquire(other, 2);
    const beyond = request(one);
    await settle();
    expect(beyond.outcome).toBe('waiting');
    await acquire(open(budget, 'another', 1 / 4), 4);
    other.release(slab as Buffer);
    await settle();
    expect(beyond.outcome).toBe('served');
  });

  test('holds nothing after its uploads have ended', async () => {
    const budget = createBudget(16);
    for (let times = 0; times < 3; times += 1) {
      const share = open(budget, 'owner', 1 / 4);
      for (const slab of await acquire(share, 4)) share.release(slab);
      share.close();
    }
    expect(budget.heldBytes).toBe(0);
  });
});

describe('when memory is short', () => {
  test('an upload in progress is served before a newcomer that came earlier', async () => {
    const budget = createBudget(8);
    const share = open(budget, 'first');
    const slabs = await acquire(share, 8);
    const newcomer = request(open(budget, 'newcomer'));
    const inProgress = request(share);
    // The newcomer has to wait until a quarter is free.
    share.release(slabs[0] as Buffer);
    await settle();
    expect([newcomer.outcome, inProgress.outcome]).toEqual(['waiting', 'served']);
    for (const slab of slabs.slice(1, 3)) share.release(slab);
    await settle();
    expect(newcomer.outcome).toBe('waiting');
    share.release(slabs[3] as Buffer);
    await settle();
    expect(newcomer.outcome).toBe('served');
  });

  test('a quarter is kept for uploads in progress', async () => {
    const budget = createBudget(8);
    const early = open(budget, 'early');
    await acquire(early, 6);
    const newcomer = request(open(budget, 'newcomer'));
    await settle();
    expect(newcomer.outcome).toBe('waiting');
    await acquire(early, 2);
  });

  test('newcomers are served in order of arrival', async () => {
    const budget = createBudget(8);
    const share = open(budget, 'first');
    const slabs = await acquire(share, 8);
    const newcomers = [1, 2, 3].map((nth) => request(open(budget, `newcomer ${nth}`)));
    const outcomes = () => newcomers.map(({ outcome }) => outcome);
    for (const slab of slabs.slice(0, 3)) share.release(slab);
    await settle();
    expect(outcomes()).toEqual(['served', 'waiting', 'waiting']);
    share.release(slabs[3] as Buffer);
    await settle();
    expect(outcomes()).toEqual(['served', 'served', 'waiting']);
  });

  test('a newcomer fails after the wait; an upload in progress waits longer, but not forever', async () => {
    const budget = createBudget(8);
    const share = open(budget, 'first');
    const slabs = await acquire(share, 8);
    const newcomer = request(open(budget, 'newcomer'));
    const inProgress = request(share);
    await vi.advanceTimersByTimeAsync(waitMs - 1);
    expect(newcomer.outcome).toBe('waiting');
    await vi.advanceTimersByTimeAsync(1);
    expect([newcomer.outcome, inProgress.outcome]).toEqual(['unavailable', 'waiting']);
    await vi.advanceTimersByTimeAsync(4 * waitMs);
    expect(inProgress.outcome).toBe('waiting');
    await vi.advanceTimersByTimeAsync(waitMs);
    expect(inProgress.outcome).toBe('unavailable');
    // An upload that waited in vain is no longer in the queue: the slab stays free.
    share.release(slabs[0] as Buffer);
    expect(await share.acquire()).toBe(slabs[0]);
  });

  test('an upload fails at once when the queue is full', async () => {
    const budget = createBudget(8, 2);
    const share = open(budget, 'first');
    await acquire(share, 8);
    const asked = [1, 2, 3].map((nth) => request(open(budget, `newcomer ${nth}`)));
    await settle();
    expect(asked.map(({ outcome }) => outcome)).toEqual(['waiting', 'waiting', 'unavailable']);
  });

  test('an aborted upload leaves the queue', async () => {
    const budget = createBudget(8);
    const share = open(budget, 'first');
    const slabs = await acquire(share, 8);
    const gone = new AbortController();
    const leaving = request(open(budget, 'leaving', 1, ignore, gone.signal));
    const staying = request(open(budget, 'staying'));
    gone.abort(new Error('gone'));
    await settle();
    expect(leaving.outcome).toBe('gone');
    for (const slab of slabs.slice(0, 3)) share.release(slab);
    await settle();
    expect(staying.outcome).toBe('served');
    const late = request(open(budget, 'late', 1, ignore, gone.signal));
    await settle();
    expect(late.outcome).toBe('gone');
  });
});

describe('an upload that fills its chunk slowly', () => {
  /** Uploads that began their chunks a second apart, in order, and hold two slabs each. */
  async function slowUploads(budget: MemoryBudget, count: number) {
    const flushed: number[] = [];
    const shares: MemoryShare[] = [];
    for (let nth = 0; nth < count; nth += 1) {
      const share = open(budget, `slow ${nth}`, 1, () => {
        flushed.push(nth);
        for (const slab of slabs.splice(1)) share.release(slab);
      });
      const slabs = await acquire(share, 2);
      share.setFillingSince(performance.now());
      shares.push(share);
      await vi.advanceTimersByTimeAsync(1_000);
    }
    return { flushed, shares };
  }

  test('is flushed when memory is short, the slowest first, and no more of them than necessary', async () => {
    const budget = createBudget(16);
    const { flushed } = await slowUploads(budget, 5);
    expect(flushed).toEqual([]);
    await vi.advanceTimersByTimeAsync(3_000);
    const share = open(budget, 'fast');
    await acquire(share, 3);
    expect([flushed, budget.heldBytes / slabBytes]).toEqual([[0, 1], 11]);
  });

  test('is flushed when only the reserve is left for a newcomer', async () => {
    const budget = createBudget(8);
    const { flushed } = await slowUploads(budget, 3);
    const share = open(budget, 'first');
    const newcomer = request(share);
    await vi.advanceTimersByTimeAsync(0);
    expect([flushed, newcomer.outcome]).toEqual([[0], 'served']);
    expect(vi.getTimerCount()).toBeLessThanOrEqual(1);
  });

  test('is served after another slow one was flushed', async () => {
    const budget = createBudget(8);
    const { flushed, shares } = await slowUploads(budget, 3);
    // They are no longer slow, because they have just begun another chunk.
    for (const share of shares) share.setFillingSince(performance.now());
    await acquire(shares[0] as MemoryShare, 2);
    const waiting = request(shares[1] as MemoryShare);
    await vi.advanceTimersByTimeAsync(1_000);
    expect([flushed, waiting.outcome]).toEqual([[], 'waiting']);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(waiting.outcome).toBe('served');
    expect(flushed.length).toBeGreaterThan(0);
  });

  test('is not flushed while there is memory, when it holds no chunk, and when it has ended', async () => {
    const budget = createBudget(40);
    const { flushed, shares } = await slowUploads(budget, 10);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(flushed).toEqual([]);
    for (const share of shares.slice(0, 4)) share.setFillingSince(undefined);
    for (const share of shares.slice(4, 8)) share.close();
    await acquire(open(budget, 'fast'), 12);
    expect(flushed.toSorted((one, other) => one - other)).toEqual([8, 9]);
  });

  test('is flushed at most once per interval', async () => {
    const budget = createBudget(8);
    let asked = 0;
    const slow = open(budget, 'slow', 1, () => void (asked += 1));
    await acquire(slow, 5);
    slow.setFillingSince(performance.now());
    await vi.advanceTimersByTimeAsync(3_000);
    const share = open(budget, 'fast');
    const slabs = await acquire(share, 1);
    for (let times = 0; times < 100; times += 1) {
      slabs.push(...(await acquire(share, 1)));
      share.release(slabs.pop() as Buffer);
    }
    expect(asked).toBe(1);
  });
});

test('leaves no timer behind', async () => {
  const budget = createBudget(8);
  const share = open(budget, 'first');
  const slabs = await acquire(share, 8);
  const gone = new AbortController();
  const asked = [
    request(share),
    request(open(budget, 'newcomer')),
    request(open(budget, 'leaving', 1, ignore, gone.signal)),
  ];
  expect(vi.getTimerCount()).toBeGreaterThanOrEqual(3);
  gone.abort(new Error('gone'));
  for (const slab of slabs) share.release(slab);
  await settle();
  expect(asked.map(({ outcome }) => outcome)).toEqual(['served', 'served', 'gone']);
  await vi.advanceTimersByTimeAsync(500);
  expect(vi.getTimerCount()).toBe(0);
});
