import { expect, test } from 'vitest';
import { DeliveryWatch } from './delivery-watch.ts';

/** Creates a page with two files, and a clock that the test moves. */
function page() {
  const waiting: { ms: number; ask: () => void }[] = [];
  const state = { delivered: [] as string[] | 'ended' | 'unreachable', shown: [] as string[], asked: 0 };
  const watch = new DeliveryWatch({
    async delivered() {
      state.asked += 1;
      if (state.delivered === 'unreachable') throw new Error('offline');
      return state.delivered;
    },
    show(ids) {
      state.shown = [...ids];
      return 2 - ids.length;
    },
    after: (ms, ask) => void waiting.push({ ms, ask }),
  });
  /** Makes the next request, and returns how long it had waited. */
  const next = async () => {
    const { ms, ask } = waiting.shift() ?? {};
    ask?.();
    await new Promise((done) => setImmediate(done));
    return ms;
  };
  return { watch, state, waiting, next };
}

test('makes no requests before a download begins, or when all downloads are complete', async () => {
  const { watch, state, waiting, next } = page();
  expect(waiting).toEqual([]);
  watch.begin();
  await next();
  expect(state.shown).toEqual([]);
  state.delivered = ['a'];
  await next();
  expect(state.shown).toEqual(['a']);
  state.delivered = ['a', 'b'];
  await next();
  expect(state.shown).toEqual(['a', 'b']);
  expect(waiting).toEqual([]);
});

test('makes requests less and less often, and often again when another download begins', async () => {
  const { watch, next } = page();
  watch.begin();
  const pauses = [await next(), await next(), await next()];
  expect(pauses).toEqual([1000, 1500, 2250]);
  for (let asked = 0; asked < 10; asked += 1) await next();
  expect(await next()).toBe(15_000);
  watch.begin();
  await next();
  expect(await next()).toBe(1000);
});

test('watches two downloads with one request at a time', () => {
  const { watch, waiting } = page();
  watch.begin();
  watch.begin();
  expect(waiting).toHaveLength(1);
});

test('continues after a network failure, but not when the page has ended', async () => {
  const { watch, state, waiting, next } = page();
  state.delivered = 'unreachable';
  watch.begin();
  await next();
  expect(waiting).toHaveLength(1);
  state.delivered = 'ended';
  await next();
  expect(waiting).toEqual([]);
  // Another download restarts the requests.
  watch.begin();
  expect(waiting).toHaveLength(1);
});

test('stops watching a download that never completes after an hour', async () => {
  const { watch, state, waiting, next } = page();
  state.delivered = ['a'];
  watch.begin();
  let waitedMs = 0;
  while (waiting.length > 0) waitedMs += (await next()) ?? 0;
  expect(waitedMs).toBeGreaterThan(3_600_000);
  expect(waitedMs).toBeLessThan(3_700_000);
});
