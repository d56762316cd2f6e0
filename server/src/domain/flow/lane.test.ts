import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Lane } from './lane.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const open = (atOnce: number, maxWaiting = 1_000) => {
  const lane = new Lane({ atOnce, silenceMs: 9_000, waitMs: 60_000, maxWaiting });
  return {
    async run<Result>(signal: AbortSignal | undefined, call: (leftMs: number) => Promise<Result>): Promise<Result> {
      const { leftMs, leave } = await lane.enter({ signal });
      try {
        const result = await call(leftMs);
        leave('answered');
        return result;
      } catch (error) {
        leave('failed');
        throw error;
      }
    },
  };
};
/** A call that the engine answers after this long, or that is cancelled at its deadline. */
const taking = (ms: number) => (deadlineMs: number) =>
  new Promise<string>((resolve, reject) => {
    if (ms <= deadlineMs) setTimeout(() => resolve('answered'), ms);
    else setTimeout(() => reject(new Error('deadline')), deadlineMs);
  });

test('serves so many at a time, and all of them however long that takes while the engine answers', async () => {
  const lane = open(2);
  let [running, max] = [0, 0];
  const calls = Array.from({ length: 60 }, () =>
    lane.run(undefined, async (deadlineMs) => {
      running += 1;
      max = Math.max(max, running);
      const result = await taking(1_000)(deadlineMs);
      running -= 1;
      return result;
    }),
  );
  const all = Promise.all(calls);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(new Set(await all)).toEqual(new Set(['answered']));
  expect(max).toBe(2);
  expect(vi.getTimerCount()).toBe(0);
});

test('serves more at a time as soon as more may be, and those who waited first', async () => {
  let atOnce = 1;
  const lane = new Lane({ atOnce: () => atOnce, silenceMs: 9_000, waitMs: 60_000, maxWaiting: 10 });
  const served: number[] = [];
  const enter = async (number: number) => {
    const place = await lane.enter();
    served.push(number);
    return place;
  };
  const places = [1, 2, 3, 4].map(enter);
  const first = await places[0];
  atOnce = 3;
  places.push(enter(5));
  expect([served, lane.inUse, lane.waiting]).toEqual([[1], 1, 4]);
  first?.leave('answered');
  const [, second, third, fourth] = await Promise.all(places.slice(0, 4));
  expect([served, lane.inUse, lane.waiting]).toEqual([[1, 2, 3, 4], 3, 1]);
  atOnce = 1;
  second?.leave('answered');
  third?.leave('answered');
  expect([lane.inUse, lane.waiting]).toEqual([1, 1]);
  fourth?.leave('answered');
  (await places[4])?.leave('answered');
  expect([served, lane.inUse, lane.waiting]).toEqual([[1, 2, 3, 4, 5], 0, 0]);
});

test('once the engine answers nobody, all give up after the same time, served or waiting', async () => {
  const lane = open(2);
  const ended: number[] = [];
  const began = performance.now();
  const calls = Array.from({ length: 20 }, () =>
    lane.run(undefined, taking(Number.POSITIVE_INFINITY)).catch(() => ended.push(performance.now() - began)),
  );
  await vi.advanceTimersByTimeAsync(10_500);
  await Promise.all(calls);
  expect(ended).toHaveLength(20);
  expect(Math.max(...ended)).toBeLessThanOrEqual(10_000);
});

test('whoever has gone leaves the line', async () => {
  const lane = open(1);
  const served = lane.run(undefined, taking(1_000));
  const gone = new AbortController();
  const waiting = lane.run(gone.signal, taking(1_000));
  const behind = lane.run(undefined, taking(1_000));
  const reason = new Error('gone');
  gone.abort(reason);
  await expect(waiting).rejects.toBe(reason);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await Promise.all([served, behind])).toEqual(['answered', 'answered']);
});

test('no more than so many wait', async () => {
  const lane = open(1, 1);
  const calls = Promise.all([lane.run(undefined, taking(10)), lane.run(undefined, taking(10))]);
  await expect(lane.run(undefined, taking(10))).rejects.toMatchObject({ code: 'unavailable' });
  await vi.advanceTimersByTimeAsync(20);
  await calls;
});

test('a call that fails makes room', async () => {
  const lane = open(1);
  await expect(lane.run(undefined, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await lane.run(undefined, async () => 'yes')).toBe('yes');
});

test('waiting ends all the same, however busy the engine is', async () => {
  const lane = new Lane({ atOnce: 1, silenceMs: 9_000, waitMs: 20_000, maxWaiting: 10 });
  /** There is always another caller ahead, which is answered every second. */
  const ahead = async () => {
    for (let second = 0; second < 30; second += 1) {
      const { leave } = await lane.enter();
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      leave('answered');
    }
  };
  const others = Array.from({ length: 5 }, ahead);
  const began = performance.now();
  const waits: number[] = [];
  const impatient = (async () => {
    const place = await lane.enter();
    waits.push(performance.now() - began);
    place.leave('answered');
  })();
  await vi.advanceTimersByTimeAsync(200_000);
  await Promise.all([...others, impatient]);
  expect(waits.every((ms) => ms <= 20_000)).toBe(true);
});
