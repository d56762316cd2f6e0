import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { WaybillError } from '../../errors.ts';
import type { Waybill } from '../../waybill.ts';
import { LeaseLostError, withLease } from './lease.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const entry = { id: 'e1', lease: 'l1' };
const never = new AbortController().signal;
const clientThat = (renew: () => Promise<void>) => ({ inbox: { renew } }) as unknown as Waybill;

/** Work that takes some time, or ends when it is aborted. */
const work = (milliseconds: number) => (signal: AbortSignal) =>
  new Promise<string>((resolve, reject) => {
    setTimeout(() => resolve('done'), milliseconds);
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });

test('a lease is renewed three times a minute during the work, and not afterwards', async () => {
  let renewals = 0;
  const working = withLease(
    clientThat(async () => void (renewals += 1)),
    entry,
    never,
    work(130_000),
  );
  await vi.advanceTimersByTimeAsync(130_000);
  expect(await working).toBe('done');
  expect(renewals).toBe(6);
  await vi.advanceTimersByTimeAsync(600_000);
  expect(renewals).toBe(6);
});

test.each([
  ['lost', new WaybillError('lease_not_held', 'Someone else may have it.'), LeaseLostError],
  ['not renewed for another reason', new WaybillError('unauthorized', 'No.'), WaybillError],
])('work on an entry ends if its lease is %s', async (_how, error, thrown) => {
  const working = withLease(
    clientThat(() => Promise.reject(error)),
    entry,
    never,
    work(60_000),
  );
  const ended = expect(working).rejects.toBeInstanceOf(thrown);
  await vi.advanceTimersByTimeAsync(20_000);
  await ended;
});
