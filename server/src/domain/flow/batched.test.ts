import { expect, test, vi } from 'vitest';
import { type BatchLimits, batched } from './batched.ts';

/** A batch whose queries are answered by the test. */
function controlled(limits: Partial<BatchLimits> = {}) {
  const queries: { keys: readonly string[]; answer(): void; fail(error: Error): void }[] = [];
  const ask = batched<string, string>(
    (keys) => {
      const { promise, resolve, reject } = Promise.withResolvers<Map<string, string>>();
      const answer = () => resolve(new Map(keys.map((key) => [key, `${key}!`])));
      queries.push({ keys, answer, fail: reject });
      return promise;
    },
    { keys: 3, inFlight: 2, waiting: 5, waitMs: 60_000, overloaded: () => new Error('too many callers'), ...limits },
  );
  return { ask, queries, keys: () => queries.map((query) => query.keys) };
}

const turn = () => new Promise((resolve) => void setImmediate(resolve));

test('whoever asks in one turn of the event loop shares a query', async () => {
  const { ask, queries, keys } = controlled();
  const answers = ['a', 'b', 'a'].map(ask);
  await turn();
  expect(keys()).toEqual([['a', 'b']]);
  queries[0]?.answer();
  expect(await Promise.all(answers)).toEqual(['a!', 'b!', 'a!']);
});

test('several queries are in flight; whoever comes later shares the next one', async () => {
  const { ask, queries, keys } = controlled();
  const answers: Promise<string | undefined>[] = [];
  for (const key of ['a', 'b', 'c', 'd', 'c', 'e']) {
    answers.push(ask(key));
    await turn();
  }
  expect(keys()).toEqual([['a'], ['b']]);
  queries[1]?.answer();
  await expect.poll(keys).toEqual([['a'], ['b'], ['c', 'd']]);
  queries[2]?.answer();
  await expect.poll(keys).toEqual([['a'], ['b'], ['c', 'd'], ['e']]);
  queries[0]?.answer();
  queries[3]?.answer();
  expect(await Promise.all(answers)).toEqual(['a!', 'b!', 'c!', 'd!', 'c!', 'e!']);
});

test('one that hangs does not hold up the others', async () => {
  const { ask, queries } = controlled();
  void ask('hangs');
  await turn();
  for (const key of ['a', 'b', 'c']) {
    const answer = ask(key);
    await turn();
    queries.at(-1)?.answer();
    expect(await answer).toBe(`${key}!`);
  }
});

test('one that fails fails those who shared it, and nobody else', async () => {
  const { ask, queries } = controlled({ inFlight: 1 });
  const failing = ask('a');
  await turn();
  const waiting = ask('b');
  queries[0]?.fail(new Error('away'));
  await expect(failing).rejects.toThrow('away');
  await turn();
  queries[1]?.answer();
  expect(await waiting).toBe('b!');
});

test('a caller beyond the queue is refused at once', async () => {
  const { ask, queries } = controlled({ inFlight: 1, waiting: 1 });
  const served = [ask('a')];
  await turn();
  served.push(ask('b'));
  await expect(ask('c')).rejects.toThrow('too many callers');
  queries[0]?.answer();
  await expect.poll(() => queries.length).toBe(2);
  queries[1]?.answer();
  expect(await Promise.all(served)).toEqual(['a!', 'b!']);
});

test('a caller who waits too long for a query to begin is refused, and takes no place in it', async () => {
  const { ask, queries } = controlled({ inFlight: 1, waitMs: 2_000 });
  const served = ask('a');
  await turn();
  vi.useFakeTimers();
  try {
    const refused = expect(ask('b')).rejects.toThrow('too many callers');
    vi.advanceTimersByTime(2_000);
    await refused;
    queries[0]?.answer();
    expect(await served).toBe('a!');
    expect(queries).toHaveLength(1);
  } finally {
    vi.useRealTimers();
  }
});
