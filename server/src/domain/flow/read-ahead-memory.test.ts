import { expect, test } from 'vitest';
import { ReadAheadMemory } from './read-ahead-memory.ts';

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
