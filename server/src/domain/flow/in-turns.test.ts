import { expect, test } from 'vitest';
import { inTurns } from './in-turns.ts';

test('lets other work run between the items of a long list, in their order', async () => {
  const seen: number[] = [];
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  for await (const item of inTurns(Array.from({ length: 5 }, (_, index) => index))) {
    seen.push(item);
    const until = performance.now() + 6;
    while (performance.now() < until);
  }
  isDone = true;
  expect(seen).toEqual([0, 1, 2, 3, 4]);
  expect(turns).toBeGreaterThanOrEqual(4);
});
