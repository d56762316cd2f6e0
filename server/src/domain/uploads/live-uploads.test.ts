import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { LiveUploads } from './live-uploads.ts';
import type { UploadStore, UploadWriter } from './upload-store.ts';

const leaseSeconds = 60;
const writer = (id: string, name = 'writer'): UploadWriter => ({ accountId: 'account', id, writer: name });

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

type Renew = UploadStore['renew'];
const everyone: Renew = async (writers) => new Set(writers.map(({ id }) => id));

function uploads(response: Renew) {
  const renew = vi.fn<Renew>(response);
  return { renew, live: new LiveUploads({ renew }, { leaseSeconds }) };
}

test('renews the lease several times within its length, however long the upload lasts', async () => {
  const { renew, live } = uploads(everyone);
  const held = live.hold(writer('upload'));
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(renew.mock.calls.length).toBeGreaterThanOrEqual(180);
  expect(renew).toHaveBeenLastCalledWith([writer('upload')], leaseSeconds);
  expect(held.signal.aborted).toBe(false);
  held.release();
});

test('renews many in one statement, and a great many in a few', async () => {
  const { renew, live } = uploads(everyone);
  const held = Array.from({ length: 2_500 }, (_, nth) => live.hold(writer(`${nth}`)));
  await vi.advanceTimersByTimeAsync(15_000);
  expect(renew.mock.calls.map(([writers]) => writers.length)).toEqual([1_000, 1_000, 500]);
  expect(new Set(renew.mock.calls.flatMap(([writers]) => writers.map(({ id }) => id))).size).toBe(2_500);
  for (const { release } of held.slice(1)) release();
  renew.mockClear();
  await vi.advanceTimersByTimeAsync(15_000);
  expect(renew.mock.calls.map(([writers]) => writers)).toEqual([[writer('0')]]);
  held[0]?.release();
});

test('stops an upload whose writer is another one by now, and no other', async () => {
  const taken = new Set<string>();
  const { live } = uploads(async (writers) => new Set(writers.map(({ id }) => id).filter((id) => !taken.has(id))));
  const [one, other] = [live.hold(writer('one')), live.hold(writer('other'))];
  await vi.advanceTimersByTimeAsync(15_000);
  expect([one.signal.aborted, other.signal.aborted]).toEqual([false, false]);
  taken.add('one');
  await vi.advanceTimersByTimeAsync(15_000);
  expect(one.signal.reason).toMatchObject({ code: 'upload_superseded' });
  expect(other.signal.aborted).toBe(false);
  one.release();
  other.release();
});

test('a second holder in the process stops the first at once, and is not stopped with it', async () => {
  const { renew, live } = uploads(everyone);
  const first = live.hold(writer('upload', 'first'));
  const second = live.hold(writer('upload', 'second'));
  expect(first.signal.reason).toMatchObject({ code: 'upload_superseded' });
  // The first writer ends when it notices; the second is renewed as before.
  first.release();
  await vi.advanceTimersByTimeAsync(15_000);
  expect(renew.mock.calls.map(([writers]) => writers)).toEqual([[writer('upload', 'second')]]);
  expect(second.signal.aborted).toBe(false);
  second.release();
});

test('a response about the first holder does not stop the second', async () => {
  const response = Promise.withResolvers<ReadonlySet<string>>();
  const { renew, live } = uploads(() => response.promise);
  const first = live.hold(writer('upload', 'first'));
  await vi.advanceTimersByTimeAsync(15_000);
  expect(renew).toHaveBeenCalledTimes(1);
  const second = live.hold(writer('upload', 'second'));
  response.resolve(new Set());
  await vi.advanceTimersByTimeAsync(0);
  expect([first.signal.aborted, second.signal.aborted]).toEqual([true, false]);
  first.release();
  second.release();
});

test.each<[string, () => Promise<ReadonlySet<string>>]>([
  ['fails', () => Promise.reject(new Error('away'))],
  ['hangs', () => new Promise(() => undefined)],
])('stops the upload well before the lease ends when every renewal %s', async (_what, response) => {
  let away = false;
  const { live } = uploads((...asked) => (away ? response() : everyone(...asked)));
  const held = live.hold(writer('upload'));
  await vi.advanceTimersByTimeAsync(15_000);
  away = true;
  await vi.advanceTimersByTimeAsync(leaseSeconds * 500);
  expect(held.signal.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(leaseSeconds * 300);
  expect(held.signal.reason).toMatchObject({ code: 'unavailable' });
  held.release();
});

test('goes on when a renewal fails once and the next succeeds', async () => {
  let calls = 0;
  const { live } = uploads((...asked) => (++calls % 2 === 0 ? Promise.reject(new Error('away')) : everyone(...asked)));
  const held = live.hold(writer('upload'));
  await vi.advanceTimersByTimeAsync(leaseSeconds * 10_000);
  expect(held.signal.aborted).toBe(false);
  held.release();
});

test('counts the lease from when a renewal was asked for, not from when it was confirmed', async () => {
  const { live, renew } = uploads(
    (...asked) => new Promise((resolve) => setTimeout(() => resolve(everyone(...asked)), 20_000)),
  );
  const held = live.hold(writer('upload'));
  await vi.advanceTimersByTimeAsync(35_000);
  renew.mockImplementation(() => new Promise(() => undefined));
  // The last renewal that gets a response was requested at 30 s, so its lease may already end at 90 s.
  await vi.advanceTimersByTimeAsync(41_000);
  expect(held.signal.aborted).toBe(true);
  held.release();
});

test('asks for nothing after its end, and breaks off what is still on its way', async () => {
  const { renew, live } = uploads(everyone);
  const held = live.hold(writer('upload'));
  held.release();
  expect(held.signal.aborted).toBe(true);
  expect(vi.getTimerCount()).toBe(0);
  await vi.advanceTimersByTimeAsync(600_000);
  expect(renew).not.toHaveBeenCalled();
  // It begins again with the next one.
  const next = live.hold(writer('upload'));
  await vi.advanceTimersByTimeAsync(15_000);
  expect(renew).toHaveBeenCalledTimes(1);
  next.release();
  next.release();
  expect(vi.getTimerCount()).toBe(0);
});
