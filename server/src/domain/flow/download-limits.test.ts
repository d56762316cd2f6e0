import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { EventLoopTurns, ReadAheadMemory } from './download-limits.ts';

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

const unitBytes = 1000;

test('allocates a part of the free memory, so that some is always left', () => {
  const memory = new ReadAheadMemory(80 * unitBytes);
  expect(memory.acquire(4, unitBytes)).toBe(4);
  memory.release(4 * unitBytes);
  const acquired = Array.from({ length: 40 }, () => memory.acquire(100, unitBytes));
  expect(acquired.slice(0, 4)).toEqual([10, 8, 7, 6]);
  expect(acquired.at(-1)).toBe(0);
  expect(memory.heldBytes).toBeLessThan(80 * unitBytes);
  memory.release(memory.heldBytes);
  expect(memory.heldBytes).toBe(0);
});
