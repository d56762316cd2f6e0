import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Turns } from './turns.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const open = (atOnce: number, maxWaiting = 100) => new Turns({ atOnce, silenceMs: 10_000, waitMs: 30_000, maxWaiting });

test('lets so many in at once, and the others in the order in which they came', async () => {
  const turns = open(2);
  const [endFirst, endSecond] = [await turns.take(), await turns.take()];
  const entered: string[] = [];
  const waiting = ['third', 'fourth'].map(async (name) => {
    const end = await turns.take();
    entered.push(name);
    return end;
  });
  await vi.advanceTimersByTimeAsync(9_000);
  expect(entered).toEqual([]);
  endSecond('begun');
  await vi.advanceTimersByTimeAsync(0);
  expect(entered).toEqual(['third']);
  endFirst('begun');
  await Promise.all(waiting);
  expect(entered).toEqual(['third', 'fourth']);
  expect(vi.getTimerCount()).toBe(0);
});

test('a turn that is ended twice makes room once', async () => {
  const turns = open(1);
  const end = await turns.take();
  end('begun');
  end('begun');
  await turns.take();
  const another = vi.fn();
  void turns.take().then(another);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(another).not.toHaveBeenCalled();
});

test('whoever waits too long is told to come back, and does not hold up those behind', async () => {
  const turns = open(1);
  const end = await turns.take();
  const refused = expect(turns.take()).rejects.toMatchObject({ code: 'unavailable' });
  await vi.advanceTimersByTimeAsync(6_000);
  const patient = turns.take();
  await vi.advanceTimersByTimeAsync(4_000);
  await refused;
  end('begun');
  await patient;
});

test('as long as others begin, one waits longer', async () => {
  const turns = open(1);
  const waiting = [await turns.take(), turns.take(), turns.take(), turns.take()];
  for (const taken of waiting) {
    const end = await taken;
    await vi.advanceTimersByTimeAsync(9_000);
    end('begun');
  }
});

test('while what others begin fails, one does not', async () => {
  const turns = open(1);
  const end = await turns.take();
  const [next, refused] = [turns.take(), expect(turns.take()).rejects.toMatchObject({ code: 'unavailable' })];
  await vi.advanceTimersByTimeAsync(9_000);
  end('failed');
  await next;
  await vi.advanceTimersByTimeAsync(1_000);
  await refused;
});

test('work ends its turn when it says so, when it is done, and when it fails', async () => {
  const turns = open(1);
  const { promise, resolve } = Promise.withResolvers<string>();
  const first = turns.during((begun) => {
    begun();
    return promise;
  });
  await expect(turns.during(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(await turns.during(async () => 'done')).toBe('done');
  resolve('done at last');
  expect(await first).toBe('done at last');
});

test('no more than so many wait', async () => {
  const turns = open(1, 1);
  const end = await turns.take();
  const waiting = turns.take();
  await expect(turns.take()).rejects.toMatchObject({ code: 'unavailable' });
  end('begun');
  await waiting;
});
