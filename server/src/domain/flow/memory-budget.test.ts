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
const budgetOf = (slabs: number, maxWaiting = 100) =>
  new MemoryBudget({ slabBytes, bytes: slabs * slabBytes, waitMs, maxWaiting });

const live = new AbortController().signal;
const never = () => undefined;
const open = (budget: MemoryBudget, owner = 'owner', part = 1, relieve: () => void = never, signal = live) =>
  budget.open(owner, part, { relieve, signal });

async function take(share: MemoryShare, slabs: number): Promise<Buffer[]> {
  const taken: Buffer[] = [];
  for (let count = 0; count < slabs; count += 1) taken.push(await share.take());
  return taken;
}

/** An upload that asked for one slab, and the result so far. */
function asking(share: MemoryShare) {
  const asked = { outcome: 'waiting', slab: undefined as Buffer | undefined };
  share.take().then(
    (slab) => Object.assign(asked, { outcome: 'served', slab }),
    (error: Error & { code?: string }) => Object.assign(asked, { outcome: error.code ?? error.message }),
  );
  return asked;
}
const settle = () => vi.advanceTimersByTimeAsync(0);

describe('what is given out', () => {
  test('is as many slabs as there may be, and no more', async () => {
    const budget = budgetOf(8);
    const share = open(budget);
    const slabs = await take(share, 8);
    expect(slabs.map(({ length }) => length)).toEqual(Array.from({ length: 8 }, () => slabBytes));
    expect(new Set(slabs.map(({ buffer }) => buffer)).size).toBe(8);
    expect(budget.heldBytes).toBe(8 * slabBytes);
    const ninth = asking(share);
    await vi.advanceTimersByTimeAsync(waitMs - 1);
    expect(ninth.outcome).toBe('waiting');
    share.give(slabs[3] as Buffer);
    await settle();
    expect(ninth).toEqual({ outcome: 'served', slab: slabs[3] });
  });

  test('is a slab that came back, unless somebody may still read it', async () => {
    const share = open(budgetOf(8));
    const [first, second] = (await take(share, 2)) as [Buffer, Buffer];
    share.give(first);
    expect(await share.take()).toBe(first);
    share.give(second, 'discard');
    share.give(first, 'discard');
    for (const slab of await take(share, 8)) expect([first.buffer, second.buffer]).not.toContain(slab.buffer);
  });

  const step = fc.record({
    upload: fc.nat(5),
    act: fc.constantFrom('take', 'take', 'take', 'give', 'give', 'abort', 'pass'),
    ms: fc.nat(8_000),
  });
  propertyTest.prop([fc.integer({ min: 4, max: 24 }), fc.array(step, { maxLength: 120 })])(
    'never exceeds what there is, nor an owner’s part of it, and all of it comes back',
    async (slabs, steps) => {
      vi.useFakeTimers();
      try {
        const budget = budgetOf(slabs, 20);
        const parts = [1, 1 / 2, 1 / 4];
        const uploads = Array.from({ length: 6 }, (_, nth) => {
          const stop = new AbortController();
          const held: Buffer[] = [];
          const owner = nth % 3;
          // When relieved, an upload returns all but one of its slabs.
          const relieve = () => {
            for (const slab of held.splice(1)) share.give(slab);
          };
          const share = open(budget, `owner ${owner}`, parts[owner], relieve, stop.signal);
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
          if (act === 'take') {
            share.take().then(
              (taken) => held.push(taken) === 1 && share.filling(performance.now()),
              () => undefined,
            );
          } else if (act === 'give' && slab) {
            held.shift();
            share.give(slab, ms % 2 === 0 ? 'reuse' : 'discard');
          } else if (act === 'abort') stop.abort(new Error('gone'));
          else await vi.advanceTimersByTimeAsync(ms);
          await settle();
          check();
        }
        for (const { stop } of uploads) stop.abort(new Error('gone'));
        await settle();
        for (const { share, held } of uploads) {
          for (const slab of held.splice(0)) share.give(slab);
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
  test('has a part of the memory with all of its uploads, and leaves the rest to others', async () => {
    const budget = budgetOf(16);
    const [one, other] = [open(budget, 'greedy', 1 / 4), open(budget, 'greedy', 1 / 4)];
    await take(one, 2);
    const [slab] = await take(other, 2);
    const beyond = asking(one);
    await settle();
    expect(beyond.outcome).toBe('waiting');
    await take(open(budget, 'another', 1 / 4), 4);
    other.give(slab as Buffer);
    await settle();
    expect(beyond.outcome).toBe('served');
  });

  test('that has ended and comes again begins with nothing', async () => {
    const budget = budgetOf(16);
    for (let times = 0; times < 3; times += 1) {
      const share = open(budget, 'owner', 1 / 4);
      for (const slab of await take(share, 4)) share.give(slab);
      share.close();
    }
    expect(budget.heldBytes).toBe(0);
  });
});

describe('when memory is short', () => {
  test('an upload in progress is served before a newcomer that came earlier', async () => {
    const budget = budgetOf(8);
    const share = open(budget, 'first');
    const slabs = await take(share, 8);
    const newcomer = asking(open(budget, 'newcomer'));
    const inProgress = asking(share);
    // The newcomer has to wait until a quarter is free.
    share.give(slabs[0] as Buffer);
    await settle();
    expect([newcomer.outcome, inProgress.outcome]).toEqual(['waiting', 'served']);
    for (const slab of slabs.slice(1, 3)) share.give(slab);
    await settle();
    expect(newcomer.outcome).toBe('waiting');
    share.give(slabs[3] as Buffer);
    await settle();
    expect(newcomer.outcome).toBe('served');
  });

  test('a quarter is kept for uploads in progress', async () => {
    const budget = budgetOf(8);
    const early = open(budget, 'early');
    await take(early, 6);
    const newcomer = asking(open(budget, 'newcomer'));
    await settle();
    expect(newcomer.outcome).toBe('waiting');
    await take(early, 2);
  });

  test('those of a kind are served in the order in which they came', async () => {
    const budget = budgetOf(8);
    const share = open(budget, 'first');
    const slabs = await take(share, 8);
    const newcomers = [1, 2, 3].map((nth) => asking(open(budget, `newcomer ${nth}`)));
    const outcomes = () => newcomers.map(({ outcome }) => outcome);
    for (const slab of slabs.slice(0, 3)) share.give(slab);
    await settle();
    expect(outcomes()).toEqual(['served', 'waiting', 'waiting']);
    share.give(slabs[3] as Buffer);
    await settle();
    expect(outcomes()).toEqual(['served', 'served', 'waiting']);
  });

  test('a newcomer is told to come back; an upload in progress waits longer, but not forever', async () => {
    const budget = budgetOf(8);
    const share = open(budget, 'first');
    const slabs = await take(share, 8);
    const newcomer = asking(open(budget, 'newcomer'));
    const inProgress = asking(share);
    await vi.advanceTimersByTimeAsync(waitMs - 1);
    expect(newcomer.outcome).toBe('waiting');
    await vi.advanceTimersByTimeAsync(1);
    expect([newcomer.outcome, inProgress.outcome]).toEqual(['unavailable', 'waiting']);
    await vi.advanceTimersByTimeAsync(4 * waitMs);
    expect(inProgress.outcome).toBe('waiting');
    await vi.advanceTimersByTimeAsync(waitMs);
    expect(inProgress.outcome).toBe('unavailable');
    // An upload that waited in vain is forgotten: what becomes free now stays free.
    share.give(slabs[0] as Buffer);
    expect(await share.take()).toBe(slabs[0]);
  });

  test('no more wait than may', async () => {
    const budget = budgetOf(8, 2);
    const share = open(budget, 'first');
    await take(share, 8);
    const asked = [1, 2, 3].map((nth) => asking(open(budget, `newcomer ${nth}`)));
    await settle();
    expect(asked.map(({ outcome }) => outcome)).toEqual(['waiting', 'waiting', 'unavailable']);
  });

  test('who is gone does not wait, and keeps nobody waiting', async () => {
    const budget = budgetOf(8);
    const share = open(budget, 'first');
    const slabs = await take(share, 8);
    const gone = new AbortController();
    const leaving = asking(open(budget, 'leaving', 1, never, gone.signal));
    const staying = asking(open(budget, 'staying'));
    gone.abort(new Error('gone'));
    await settle();
    expect(leaving.outcome).toBe('gone');
    for (const slab of slabs.slice(0, 3)) share.give(slab);
    await settle();
    expect(staying.outcome).toBe('served');
    const late = asking(open(budget, 'late', 1, never, gone.signal));
    await settle();
    expect(late.outcome).toBe('gone');
  });
});

describe('who fills a chunk slowly', () => {
  /** Uploads that began their chunks a second apart, in order, and hold two slabs each. */
  async function slowUploads(budget: MemoryBudget, count: number) {
    const relieved: number[] = [];
    const shares: MemoryShare[] = [];
    for (let nth = 0; nth < count; nth += 1) {
      const share = open(budget, `slow ${nth}`, 1, () => {
        relieved.push(nth);
        for (const slab of slabs.splice(1)) share.give(slab);
      });
      const slabs = await take(share, 2);
      share.filling(performance.now());
      shares.push(share);
      await vi.advanceTimersByTimeAsync(1_000);
    }
    return { relieved, shares };
  }

  test('is asked to store it when memory is short, the slowest first, and no more than it takes', async () => {
    const budget = budgetOf(16);
    const { relieved } = await slowUploads(budget, 5);
    expect(relieved).toEqual([]);
    await vi.advanceTimersByTimeAsync(3_000);
    const share = open(budget, 'fast');
    await take(share, 3);
    expect([relieved, budget.heldBytes / slabBytes]).toEqual([[0, 1], 11]);
  });

  test('is asked when a newcomer finds nothing free but the reserve', async () => {
    const budget = budgetOf(8);
    const { relieved } = await slowUploads(budget, 3);
    const share = open(budget, 'first');
    const newcomer = asking(share);
    await vi.advanceTimersByTimeAsync(0);
    expect([relieved, newcomer.outcome]).toEqual([[0], 'served']);
    expect(vi.getTimerCount()).toBeLessThanOrEqual(1);
  });

  test('and waits for another who does is served in time', async () => {
    const budget = budgetOf(8);
    const { relieved, shares } = await slowUploads(budget, 3);
    // They are no longer slow, because they have just begun another chunk.
    for (const share of shares) share.filling(performance.now());
    await take(shares[0] as MemoryShare, 2);
    const waiting = asking(shares[1] as MemoryShare);
    await vi.advanceTimersByTimeAsync(1_000);
    expect([relieved, waiting.outcome]).toEqual([[], 'waiting']);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(waiting.outcome).toBe('served');
    expect(relieved.length).toBeGreaterThan(0);
  });

  test('is left alone while there is memory, when it holds no chunk, and when it has ended', async () => {
    const budget = budgetOf(40);
    const { relieved, shares } = await slowUploads(budget, 10);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(relieved).toEqual([]);
    for (const share of shares.slice(0, 4)) share.filling(undefined);
    for (const share of shares.slice(4, 8)) share.close();
    await take(open(budget, 'fast'), 12);
    expect(relieved.toSorted((one, other) => one - other)).toEqual([8, 9]);
  });

  test('is not asked all the time', async () => {
    const budget = budgetOf(8);
    let asked = 0;
    const slow = open(budget, 'slow', 1, () => void (asked += 1));
    await take(slow, 5);
    slow.filling(performance.now());
    await vi.advanceTimersByTimeAsync(3_000);
    const share = open(budget, 'fast');
    const slabs = await take(share, 1);
    for (let times = 0; times < 100; times += 1) {
      slabs.push(...(await take(share, 1)));
      share.give(slabs.pop() as Buffer);
    }
    expect(asked).toBe(1);
  });
});

test('leaves no timer behind', async () => {
  const budget = budgetOf(8);
  const share = open(budget, 'first');
  const slabs = await take(share, 8);
  const gone = new AbortController();
  const asked = [
    asking(share),
    asking(open(budget, 'newcomer')),
    asking(open(budget, 'leaving', 1, never, gone.signal)),
  ];
  expect(vi.getTimerCount()).toBeGreaterThanOrEqual(3);
  gone.abort(new Error('gone'));
  for (const slab of slabs) share.give(slab);
  await settle();
  expect(asked.map(({ outcome }) => outcome)).toEqual(['served', 'served', 'gone']);
  await vi.advanceTimersByTimeAsync(500);
  expect(vi.getTimerCount()).toBe(0);
});
