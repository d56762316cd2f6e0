import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ExchangeError } from '../../domain/exchange-error.ts';
import { TransferLanes } from './transfer-lanes.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('are recorded however long others take', async () => {
  const { ending, deliveries } = new TransferLanes();
  const slots = await Promise.all(Array.from({ length: ending.limit }, () => ending.acquire()));
  let recorded = 0;
  const notes = Array.from({ length: 100 }, () => deliveries.note({ fileId: 'a' }, async () => void (recorded += 1)));
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect([recorded, ending.waiting]).toEqual([0, 100]);
  for (const { release } of slots) release('failed');
  await Promise.all(notes);
  expect([recorded, vi.getTimerCount()]).toEqual([100, 0]);
});

test('are recorded after the database was away for an hour, and fail at once for another reason', async () => {
  const { deliveries } = new TransferLanes();
  let isAway = true;
  const noted = deliveries.note({ fileId: 'a' }, async () => {
    if (isAway) throw new ExchangeError('unavailable');
  });
  await vi.advanceTimersByTimeAsync(3_600_000);
  isAway = false;
  await vi.advanceTimersByTimeAsync(1_000);
  await noted;
  await expect(deliveries.note({ fileId: 'a' }, () => Promise.reject(new Error('a bug')))).rejects.toThrow('a bug');
});

test('keep further downloads from beginning while thousands of them wait', async () => {
  const { ending, deliveries } = new TransferLanes();
  const slots = await Promise.all(Array.from({ length: ending.limit }, () => ending.acquire()));
  const notes = Array.from({ length: 5_000 }, () => {
    deliveries.requireRoom();
    return deliveries.note({ fileId: 'a' }, async () => undefined);
  });
  expect(() => deliveries.requireRoom()).toThrow(ExchangeError);
  for (const { release } of slots) release('failed');
  await Promise.all(notes);
  deliveries.requireRoom();
});
