import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { EventLoopTurns } from './event-loop-turns.ts';

/** Starts readers that record their number when their turn comes. */
function startReaders(turns: EventLoopTurns, count: number): number[] {
  const seen: number[] = [];
  for (let number = 0; number < count; number++) {
    const turn = turns.waitForTurn();
    if (turn) void turn.then(() => seen.push(number));
    else seen.push(number);
  }
  return seen;
}

test('admits a few readers at once, and the others in order, after the events that are waiting', async () => {
  const seen = startReaders(new EventLoopTurns(), 40);
  expect(seen).toHaveLength(16);
  await nextTurn();
  expect(seen).toHaveLength(32);
  await nextTurn();
  expect(seen).toEqual(Array.from({ length: 40 }, (_, number) => number));
});

test('never makes a single reader wait', async () => {
  const turns = new EventLoopTurns();
  for (let segment = 0; segment < 100; segment++) {
    expect(turns.waitForTurn()).toBeUndefined();
    await nextTurn();
  }
});

test('counts a reader that waited among those of the next turn', async () => {
  const turns = new EventLoopTurns();
  const first = startReaders(turns, 17);
  await nextTurn();
  expect(first).toHaveLength(17);
  expect(startReaders(turns, 16)).toHaveLength(15);
});
