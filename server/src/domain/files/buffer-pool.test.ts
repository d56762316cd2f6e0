import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { BufferPool } from './buffer-pool.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const pool = (buffers: number) => new BufferPool({ bufferBytes: 16, buffers, waitMs: 10_000 });

test('gives out as many buffers as it may, and no more', async () => {
  const buffers = pool(2);
  const [one, other] = [await buffers.acquire(), await buffers.acquire()];
  expect([one.length, other.length]).toEqual([16, 16]);
  expect(one).not.toBe(other);
  const third = vi.fn();
  void buffers.acquire().then(third);
  await vi.advanceTimersByTimeAsync(9_999);
  expect(third).not.toHaveBeenCalled();
  buffers.release(other);
  await vi.advanceTimersByTimeAsync(0);
  expect(third).toHaveBeenCalledExactlyOnceWith(other);
});

test('uses a returned buffer again before making another', async () => {
  const buffers = pool(2);
  const first = await buffers.acquire();
  buffers.release(first);
  expect(await buffers.acquire()).toBe(first);
});

test('serves those who wait in the order they came', async () => {
  const buffers = pool(1);
  const buffer = await buffers.acquire();
  const served: number[] = [];
  for (const number of [1, 2, 3]) {
    void (async () => {
      const given = await buffers.acquire();
      served.push(number);
      buffers.release(given);
    })();
  }
  buffers.release(buffer);
  await vi.advanceTimersByTimeAsync(0);
  expect(served).toEqual([1, 2, 3]);
});

test('tells who waited in vain to come back, and forgets them', async () => {
  const buffers = pool(1);
  const buffer = await buffers.acquire();
  const refused = expect(buffers.acquire()).rejects.toMatchObject({ code: 'unavailable' });
  await vi.advanceTimersByTimeAsync(6_000);
  const patient = buffers.acquire();
  await vi.advanceTimersByTimeAsync(4_000);
  await refused;
  buffers.release(buffer);
  expect(await patient).toBe(buffer);
  buffers.release(buffer);
  expect(await buffers.acquire()).toBe(buffer);
});

test('leaves no timer behind', async () => {
  const buffers = pool(1);
  const buffer = await buffers.acquire();
  const waiting = buffers.acquire();
  expect(vi.getTimerCount()).toBe(1);
  buffers.release(buffer);
  await waiting;
  expect(vi.getTimerCount()).toBe(0);
});
