import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { FileStore } from '../ports.ts';
import { holdLease } from './hold-lease.ts';

const leaseSeconds = 60;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function held(answer: () => Promise<boolean>) {
  const reserve = vi.fn<FileStore['reserve']>(answer);
  const lease = holdLease({ reserve } as Partial<FileStore> as FileStore, 'account', 'file', leaseSeconds);
  return { reserve, lease };
}

test('renews the lease several times within its length, however long the upload lasts', async () => {
  const { reserve, lease } = held(async () => true);
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(reserve.mock.calls.length).toBeGreaterThanOrEqual(180);
  expect(reserve).toHaveBeenLastCalledWith('account', 'file', 0, leaseSeconds);
  expect(lease.signal.aborted).toBe(false);
  lease.end();
});

test('reserves chunk numbers ahead of their use, once for many', async () => {
  const { reserve, lease } = held(async () => true);
  for (let chunk = 0; chunk < 200; chunk += 1) {
    await lease.reserve(chunk);
    const reserved = reserve.mock.lastCall?.[2] as number;
    expect(reserved).toBeGreaterThan(chunk);
  }
  expect(reserve.mock.calls.length).toBeLessThan(10);
  await vi.advanceTimersByTimeAsync(15_000);
  expect(reserve.mock.lastCall?.[2]).toBeGreaterThanOrEqual(200);
  lease.end();
});

test('stops the upload when the intent was swept', async () => {
  const { lease } = held(async () => false);
  await expect(lease.reserve(0)).rejects.toMatchObject({ code: 'unavailable' });
  expect(lease.signal.aborted).toBe(true);
  await expect(lease.reserve(0)).rejects.toMatchObject({ code: 'unavailable' });
  lease.end();
});

test('stops the upload when a renewal finds the intent swept', async () => {
  let live = true;
  const { lease } = held(async () => live);
  await lease.reserve(0);
  live = false;
  await vi.advanceTimersByTimeAsync(15_000);
  expect(lease.signal.reason).toMatchObject({ code: 'unavailable' });
  lease.end();
});

test.each([
  ['fails', () => Promise.reject(new Error('away'))],
  ['hangs', () => new Promise<boolean>(() => undefined)],
])('stops the upload well before the lease ends when every renewal %s', async (_what, answer) => {
  let away = false;
  const { lease } = held(() => (away ? answer() : Promise.resolve(true)));
  await lease.reserve(0);
  away = true;
  await vi.advanceTimersByTimeAsync(leaseSeconds * 500);
  expect(lease.signal.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(leaseSeconds * 300);
  expect(lease.signal.aborted).toBe(true);
  lease.end();
});

test('goes on when a renewal fails once and the next succeeds', async () => {
  let calls = 0;
  const { lease } = held(() => (++calls % 2 === 0 ? Promise.reject(new Error('away')) : Promise.resolve(true)));
  await vi.advanceTimersByTimeAsync(leaseSeconds * 10_000);
  expect(lease.signal.aborted).toBe(false);
  lease.end();
});

test('counts the lease from when a renewal was asked for, not from when it was answered', async () => {
  const { lease, reserve } = held(() => new Promise((resolve) => setTimeout(() => resolve(true), 20_000)));
  await vi.advanceTimersByTimeAsync(35_000);
  reserve.mockImplementation(() => new Promise<boolean>(() => undefined));
  // The last renewal that is answered was asked for at 30 s: its lease may end at 90 s already.
  await vi.advanceTimersByTimeAsync(41_000);
  expect(lease.signal.aborted).toBe(true);
  lease.end();
});

test('asks for nothing after its end, and breaks off what is still on its way', async () => {
  const { reserve, lease } = held(async () => true);
  await lease.reserve(0);
  lease.end();
  expect(lease.signal.aborted).toBe(true);
  expect(vi.getTimerCount()).toBe(0);
  reserve.mockClear();
  await vi.advanceTimersByTimeAsync(600_000);
  expect(reserve).not.toHaveBeenCalled();
});
