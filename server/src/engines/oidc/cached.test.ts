import { expect, test } from 'vitest';
import { cached } from './identity-providers.ts';

function setUp() {
  const state = { now: 0, reads: 0, fails: false };
  const read = cached(
    async () => {
      state.reads += 1;
      if (state.fails) throw new Error(`failure ${state.reads}`);
      return state.reads;
    },
    { maxAgeMs: 1_000, retryMs: 100, now: () => state.now },
  );
  return { state, read };
}

test('a value is read when it is needed, once for all who wait', async () => {
  const { state, read } = setUp();
  expect(state.reads).toBe(0);
  expect(await Promise.all([read(), read(), read()])).toEqual([1, 1, 1]);
  state.now = 999;
  expect(await read()).toBe(1);
});

test('an old value is used while the new one is read', async () => {
  const { state, read } = setUp();
  await read();
  state.now = 1_000;
  expect(await read()).toBe(1);
  await expect.poll(read).toBe(2);
  expect(state.reads).toBe(2);
});

test('an old value is used as long as there is no other', async () => {
  const { state, read } = setUp();
  await read();
  state.fails = true;
  state.now = 1_000;
  expect([await read(), await read(), await read()]).toEqual([1, 1, 1]);
  expect(state.reads).toBe(2);
  state.now = 1_100;
  expect(await read()).toBe(1);
  expect(state.reads).toBe(3);
});

test('after a failure, nobody tries for a while', async () => {
  const { state, read } = setUp();
  state.fails = true;
  await expect(read()).rejects.toThrow('failure 1');
  state.fails = false;
  state.now = 99;
  await expect(read()).rejects.toThrow('failure 1');
  expect(state.reads).toBe(1);
  state.now = 100;
  expect(await read()).toBe(2);
});
