import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FirstByte } from './object-store.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

test('is the shortest of the last seconds, whatever others took', () => {
  const firstByte = new FirstByte();
  expect(firstByte.ms).toBe(0);
  for (const ms of [80, 50, 400]) firstByte.record(ms);
  expect(firstByte.ms).toBe(50);
});

test('follows a store that has become faster at once, and a slower one within ten seconds', () => {
  const firstByte = new FirstByte();
  firstByte.record(50);
  firstByte.record(2);
  expect(firstByte.ms).toBe(2);
  for (let second = 0; second <= 11; second += 1) {
    vi.advanceTimersByTime(1_000);
    firstByte.record(60);
  }
  expect(firstByte.ms).toBe(60);
});
