import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { WaybillError } from '../errors.ts';
import { defaultRuntime as runtime } from '../runtime.ts';
import { withLease } from './lease.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const entry = { id: 'e1', lease: 'l1' };
type Renew = (entry: unknown, options: { signal: AbortSignal }) => Promise<void>;
const lease = <T>(renew: Renew, work: (lost: AbortSignal) => Promise<T>, since = Date.now()) =>
  withLease({ inbox: { renew } as never, runtime }, entry, since, work);

/** Work that takes some time, or ends when its lease is lost. */
const work = (milliseconds: number) => (lost: AbortSignal) =>
  new Promise<string>((resolve, reject) => {
    setTimeout(() => resolve('done'), milliseconds);
    lost.addEventListener('abort', () => reject(lost.reason as Error), { once: true });
  });

test('a lease is renewed three times a minute during the work, and not afterwards', async () => {
  let renewals = 0;
  const working = lease(async () => void (renewals += 1), work(130_000));
  await vi.advanceTimersByTimeAsync(130_000);
  expect(await working).toBe('done');
  expect(renewals).toBe(6);
  await vi.advanceTimersByTimeAsync(600_000);
  expect(renewals).toBe(6);
});

test('a lease that began before the work is renewed the earlier', async () => {
  let renewals = 0;
  const working = lease(async () => void (renewals += 1), work(10_000), Date.now() - 15_000);
  await vi.advanceTimersByTimeAsync(10_000);
  await working;
  expect(renewals).toBe(1);
});

test.each([
  ['lost', new WaybillError('lease_not_held', 'Someone else may have it.'), 'lease_not_held'],
  ['gone with its entry', new WaybillError('not_found', 'It has expired.'), 'lease_not_held'],
  ['not renewed for another reason', new WaybillError('unauthorized', 'No.'), 'unauthorized'],
])('work on an entry ends if its lease is %s', async (_how, error, code) => {
  const ended = expect(lease(() => Promise.reject(error), work(60_000))).rejects.toMatchObject({ code });
  await vi.advanceTimersByTimeAsync(20_000);
  await ended;
});

test.each([
  ['is away', 'unreachable'],
  ['fails', 'internal'],
  ['does not respond as expected', 'unexpected_response'],
] as const)('a server that %s does not end the work before the lease ends', async (_how, code) => {
  let renewals = 0;
  const renew = async () => {
    renewals += 1;
    if (renewals < 10) throw new WaybillError(code, 'Later.');
  };
  const working = lease(renew, work(70_000));
  await vi.advanceTimersByTimeAsync(70_000);
  expect(await working).toBe('done');
});

test.each([
  ['refuses connections', () => Promise.reject(new WaybillError('unreachable', 'Away.'))],
  ['does not respond', async (_entry, { signal }) => await runtime.sleep(3_600_000, signal)],
] satisfies [string, Renew][])('work ends with its lease while the server %s', async (_how, renew) => {
  const lost = vi.fn<(error: unknown) => void>();
  const ended = lease(renew, work(120_000)).catch(lost);
  await vi.advanceTimersByTimeAsync(59_000);
  expect(lost).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(2_000);
  await ended;
  expect(lost.mock.calls).toMatchObject([[{ code: 'lease_not_held' }]]);
});
