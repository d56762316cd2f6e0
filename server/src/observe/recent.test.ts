import { expect, test } from 'vitest';
import { cacheBriefly } from './gauges.ts';

test('everyone who asks within a while shares one query, also while it is being made', async () => {
  let [clock, loads] = [0, 0];
  const ask = cacheBriefly(async () => (loads += 1), { maxAgeMs: 100, now: () => clock });
  expect(await Promise.all([ask(), ask(), ask()])).toEqual([1, 1, 1]);
  clock = 99;
  expect(await ask()).toBe(1);
  clock = 100;
  expect(await ask()).toBe(2);
});

test('a query that hangs delays no one for long, and no other is made beside it', async () => {
  let [clock, loads] = [0, 0];
  const hanging = Promise.withResolvers<string>();
  const load = () => {
    loads += 1;
    return hanging.promise;
  };
  const ask = cacheBriefly(load, { maxAgeMs: 10, patienceMs: 1, now: () => clock });
  expect(await ask()).toBeUndefined();
  clock = 1_000;
  expect([await ask(), loads]).toEqual([undefined, 1]);
  hanging.resolve('late');
  expect(await ask()).toBe('late');
});

test('a query that fails yields nothing, and is made again later', async () => {
  let clock = 0;
  const results = [Promise.reject(new Error('away')), Promise.resolve('back')];
  const ask = cacheBriefly(() => results.shift() as Promise<string>, { maxAgeMs: 10, now: () => clock });
  expect(await ask()).toBeUndefined();
  clock = 10;
  expect(await ask()).toBe('back');
});
