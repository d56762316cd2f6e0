import { expect, test, vi } from 'vitest';
import { type BatchLimits, batchCalls } from './batch-calls.ts';

/** Batched calls whose queries the test completes. */
function createBatch(limits: Partial<BatchLimits> = {}) {
  const queries: { keys: readonly string[]; complete(): void; fail(error: Error): void }[] = [];
  const call = batchCalls<string, string>(
    (keys) => {
      const { promise, resolve, reject } = Promise.withResolvers<Map<string, string>>();
      const complete = () => resolve(new Map(keys.map((key) => [key, `${key}!`])));
      queries.push({ keys, complete, fail: reject });
      return promise;
    },
    { keys: 3, inFlight: 2, waiting: 5, waitMs: 60_000, overloaded: () => new Error('too many callers'), ...limits },
  );
  return { call, queries, keys: () => queries.map((query) => query.keys) };
}

const turn = () => new Promise((resolve) => void setImmediate(resolve));

test('calls made in one turn of the event loop share a query', async () => {
  const { call, queries, keys } = createBatch();
  const results = ['a', 'b', 'a'].map(call);
  await turn();
  expect(keys()).toEqual([['a', 'b']]);
  queries[0]?.complete();
  expect(await Promise.all(results)).toEqual(['a!', 'b!', 'a!']);
});

test('several queries may be in flight; later calls share the next one', async () => {
  const { call, queries, keys } = createBatch();
  const results: Promise<string | undefined>[] = [];
  for (const key of ['a', 'b', 'c', 'd', 'c', 'e']) {
    results.push(call(key));
    await turn();
  }
  expect(keys()).toEqual([['a'], ['b']]);
  queries[1]?.complete();
  await expect.poll(keys).toEqual([['a'], ['b'], ['c', 'd']]);
  queries[2]?.complete();
  await expect.poll(keys).toEqual([['a'], ['b'], ['c', 'd'], ['e']]);
  queries[0]?.complete();
  queries[3]?.complete();
  expect(await Promise.all(results)).toEqual(['a!', 'b!', 'c!', 'd!', 'c!', 'e!']);
});

test('a query that hangs does not block the others', async () => {
  const { call, queries } = createBatch();
  void call('hangs');
  await turn();
  for (const key of ['a', 'b', 'c']) {
    const result = call(key);
    await turn();
    queries.at(-1)?.complete();
    expect(await result).toBe(`${key}!`);
  }
});

test('a query that fails rejects only the calls that share it', async () => {
  const { call, queries } = createBatch({ inFlight: 1 });
  const failing = call('a');
  await turn();
  const waiting = call('b');
  queries[0]?.fail(new Error('away'));
  await expect(failing).rejects.toThrow('away');
  await turn();
  queries[1]?.complete();
  expect(await waiting).toBe('b!');
});

test('a call is rejected at once when the queue is full', async () => {
  const { call, queries } = createBatch({ inFlight: 1, waiting: 1 });
  const served = [call('a')];
  await turn();
  served.push(call('b'));
  await expect(call('c')).rejects.toThrow('too many callers');
  queries[0]?.complete();
  await expect.poll(() => queries.length).toBe(2);
  queries[1]?.complete();
  expect(await Promise.all(served)).toEqual(['a!', 'b!']);
});

test('a call that waits too long for a query to begin is rejected, and its key is not queried', async () => {
  const { call, queries } = createBatch({ inFlight: 1, waitMs: 2_000 });
  const served = call('a');
  await turn();
  vi.useFakeTimers();
  try {
    const refused = expect(call('b')).rejects.toThrow('too many callers');
    vi.advanceTimersByTime(2_000);
    await refused;
    queries[0]?.complete();
    expect(await served).toBe('a!');
    expect(queries).toHaveLength(1);
  } finally {
    vi.useRealTimers();
  }
});
