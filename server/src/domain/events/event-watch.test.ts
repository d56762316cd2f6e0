import { expect, test, vi } from 'vitest';
import type { EventPosition, StoredEvent } from './event-store.ts';
import { EventWatch } from './event-watch.ts';

const at = (transaction: number): EventPosition => ({ epoch: 1, transactionId: String(transaction), sequence: 0 });
const live = new AbortController().signal;

/** A watch whose looks each find what `happen` gives them. */
function watched() {
  const pages: { events: readonly StoredEvent[]; next: EventPosition }[] = [];
  const pageOfAll = vi.fn(async (after: EventPosition) => ({
    ...(pages.shift() ?? { events: [], next: after }),
    more: false,
  }));
  const watch = new EventWatch({ store: { events: { pageOfAll } } as never });
  const happen = async (next: EventPosition, ...events: StoredEvent[]) => {
    const before = pageOfAll.mock.calls.length;
    pages.push({ events, next });
    // One look takes the page, and the one after it has seen what the watch made of it.
    await vi.waitFor(() => expect(pageOfAll.mock.calls.length).toBeGreaterThan(before + 1), { timeout: 10_000 });
  };
  return { watch, happen };
}

const event = (accountId: string, transaction: number) => ({ accountId, position: at(transaction) }) as StoredEvent;

test('a request that other transactions have overtaken waits, and one that an event has overtaken reads again', async () => {
  const { watch, happen } = watched();
  const first = watch.wait('a', at(10), live);
  // Another transaction has ended, without an event.
  await happen(at(30));
  const slow = watch.wait('b', at(20), live);
  expect(await Promise.race([slow, Promise.resolve('still waiting')])).toBe('still waiting');
  await happen(at(50), event('b', 40));
  expect(await slow).toMatchObject({ events: [{ accountId: 'b' }], next: at(50) });
  expect(await watch.wait('b', at(35), live)).toBe('read again');
  watch.stop();
  expect(await first).toBe('over');
});

test('a request that looked before the watch began reads again', async () => {
  const { watch } = watched();
  const first = watch.wait('a', at(10), live);
  expect(await watch.wait('b', at(5), live)).toBe('read again');
  watch.stop();
  expect(await first).toBe('over');
});
