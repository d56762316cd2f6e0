import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ConcurrencyLimiter, type LimiterOptions, type Slot } from './concurrency-limiter.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const createLimiter = (limit: LimiterOptions['limit'], options: Partial<LimiterOptions> = {}) =>
  new ConcurrencyLimiter({ limit, silenceMs: 9_000, waitMs: 60_000, maxWaiting: 1_000, ...options });

/** A call that succeeds after this long, or is cancelled at its deadline. */
const callFor =
  (ms: number) =>
  ({ remainingMs }: Slot) =>
    new Promise<string>((resolve, reject) => {
      if (ms <= remainingMs) setTimeout(() => resolve('done'), ms);
      else setTimeout(() => reject(new Error('deadline')), remainingMs);
    });

test('serves all callers, a limited number at a time, however long that takes while calls succeed', async () => {
  const limiter = createLimiter(2);
  let [running, max] = [0, 0];
  const calls = Array.from({ length: 60 }, () =>
    limiter.run(async (slot) => {
      running += 1;
      max = Math.max(max, running);
      const result = await callFor(1_000)(slot);
      running -= 1;
      return result;
    }),
  );
  const all = Promise.all(calls);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(new Set(await all)).toEqual(new Set(['done']));
  expect(max).toBe(2);
  expect(vi.getTimerCount()).toBe(0);
});

test('follows a limit that changes, and serves callers in order of arrival', async () => {
  let limit = 1;
  const limiter = createLimiter(() => limit);
  const served: number[] = [];
  const acquire = async (number: number) => {
    const slot = await limiter.acquire();
    served.push(number);
    return slot;
  };
  const slots = [1, 2, 3, 4].map(acquire);
  const first = await slots[0];
  limit = 3;
  slots.push(acquire(5));
  expect([served, limiter.inUse, limiter.waiting]).toEqual([[1], 1, 4]);
  first?.release('succeeded');
  const [, second, third, fourth] = await Promise.all(slots.slice(0, 4));
  expect([served, limiter.inUse, limiter.waiting]).toEqual([[1, 2, 3, 4], 3, 1]);
  limit = 1;
  second?.release('succeeded');
  third?.release('succeeded');
  expect([limiter.inUse, limiter.waiting]).toEqual([1, 1]);
  fourth?.release('succeeded');
  (await slots[4])?.release('succeeded');
  expect([served, limiter.inUse, limiter.waiting]).toEqual([[1, 2, 3, 4, 5], 0, 0]);
});

test('a slot that is released twice admits one caller', async () => {
  const limiter = createLimiter(1);
  const { release } = await limiter.acquire();
  release('succeeded');
  release('succeeded');
  await limiter.acquire();
  const another = vi.fn();
  void limiter.acquire().then(another);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(another).not.toHaveBeenCalled();
});

test('all callers fail after the same time once no call succeeds, with a slot or without', async () => {
  const limiter = createLimiter(2);
  const ended: number[] = [];
  const began = performance.now();
  const calls = Array.from({ length: 20 }, () =>
    limiter.run(callFor(Number.POSITIVE_INFINITY)).catch(() => ended.push(performance.now() - began)),
  );
  await vi.advanceTimersByTimeAsync(10_500);
  await Promise.all(calls);
  expect(ended).toHaveLength(20);
  expect(Math.max(...ended)).toBeLessThanOrEqual(10_000);
});

test('an aborted caller leaves the queue', async () => {
  const limiter = createLimiter(1);
  const served = limiter.run(callFor(1_000));
  const gone = new AbortController();
  const waiting = limiter.run(callFor(1_000), { signal: gone.signal });
  const behind = limiter.run(callFor(1_000));
  const reason = new Error('gone');
  gone.abort(reason);
  await expect(waiting).rejects.toBe(reason);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await Promise.all([served, behind])).toEqual(['done', 'done']);
});

test('rejects a caller at once if the queue is full, with the given message', async () => {
  const limiter = createLimiter(1, { maxWaiting: 1, message: 'Too many calls.' });
  const calls = Promise.all([limiter.run(callFor(10)), limiter.run(callFor(10))]);
  await expect(limiter.run(callFor(10))).rejects.toMatchObject({ code: 'unavailable', message: 'Too many calls.' });
  await vi.advanceTimersByTimeAsync(20);
  await calls;
});

describe('run', () => {
  test('releases the slot when the work fails', async () => {
    const limiter = createLimiter(1);
    await expect(limiter.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await limiter.run(async () => 'yes')).toBe('yes');
  });

  test('lets the work release the slot before it ends', async () => {
    const limiter = createLimiter(1);
    const { promise, resolve } = Promise.withResolvers<string>();
    const first = limiter.run(({ release }) => {
      release('succeeded');
      return promise;
    });
    expect(await limiter.run(async () => 'done')).toBe('done');
    resolve('done at last');
    expect(await first).toBe('done at last');
  });
});

describe('a waiting caller', () => {
  test('fails if no call succeeds in time, and the caller behind it is served', async () => {
    const limiter = createLimiter(1);
    const { release } = await limiter.acquire();
    const refused = expect(limiter.acquire()).rejects.toMatchObject({ code: 'unavailable' });
    await vi.advanceTimersByTimeAsync(6_000);
    const later = limiter.acquire();
    await vi.advanceTimersByTimeAsync(3_000);
    await refused;
    release('succeeded');
    await later;
  });

  test('waits longer while other calls succeed', async () => {
    const limiter = createLimiter(1);
    const slots = [await limiter.acquire(), limiter.acquire(), limiter.acquire(), limiter.acquire()];
    for (const slot of slots) {
      const { release } = await slot;
      await vi.advanceTimersByTimeAsync(8_000);
      release('succeeded');
    }
  });

  test('does not wait longer while other calls fail', async () => {
    const limiter = createLimiter(1);
    const { release } = await limiter.acquire();
    const [next, refused] = [
      limiter.acquire(),
      expect(limiter.acquire()).rejects.toMatchObject({ code: 'unavailable' }),
    ];
    await vi.advanceTimersByTimeAsync(8_000);
    release('failed');
    await next;
    await vi.advanceTimersByTimeAsync(1_000);
    await refused;
  });

  test('waits no longer than the longest wait, however many calls succeed', async () => {
    const limiter = createLimiter(1, { waitMs: 20_000, maxWaiting: 10 });
    /** There is always another caller ahead, whose call succeeds every second. */
    const keepBusy = async () => {
      for (let second = 0; second < 30; second += 1) {
        const { release } = await limiter.acquire();
        await new Promise((resolve) => setTimeout(resolve, 1_000));
        release('succeeded');
      }
    };
    const others = Array.from({ length: 5 }, keepBusy);
    const began = performance.now();
    const waits: number[] = [];
    const impatient = (async () => {
      const slot = await limiter.acquire();
      waits.push(performance.now() - began);
      slot.release('succeeded');
    })();
    await vi.advanceTimersByTimeAsync(200_000);
    await Promise.all([...others, impatient]);
    expect(waits.every((ms) => ms <= 20_000)).toBe(true);
  });

  test('waits as long as it asks for', async () => {
    const limiter = createLimiter(1);
    await limiter.acquire();
    const refused = expect(limiter.acquire({ silenceMs: 20_000, waitMs: 20_000 })).rejects.toMatchObject({
      code: 'unavailable',
    });
    await vi.advanceTimersByTimeAsync(19_999);
    expect(limiter.waiting).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    await refused;
  });
});
