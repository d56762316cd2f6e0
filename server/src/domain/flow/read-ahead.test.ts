import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { ReadAhead } from './read-ahead.ts';

describe('memory', () => {
  const unitBytes = 1000;

  test('is given in parts of what is free, so that there is always some left', () => {
    const readAhead = new ReadAhead({ bytes: 80 * unitBytes });
    expect(readAhead.take(4, unitBytes)).toBe(4);
    readAhead.give(4 * unitBytes);
    const taken = Array.from({ length: 40 }, () => readAhead.take(100, unitBytes));
    expect(taken.slice(0, 4)).toEqual([10, 8, 7, 6]);
    expect(taken.at(-1)).toBe(0);
    expect(readAhead.takenBytes).toBeLessThan(80 * unitBytes);
    readAhead.give(readAhead.takenBytes);
    expect(readAhead.takenBytes).toBe(0);
  });
});

describe('turns', () => {
  /** As many readers as there are numbers, each of which records its number when its turn comes. */
  function readers(readAhead: ReadAhead, count: number): number[] {
    const seen: number[] = [];
    for (let number = 0; number < count; number++) {
      const turn = readAhead.turn();
      if (turn) void turn.then(() => seen.push(number));
      else seen.push(number);
    }
    return seen;
  }

  test('come to a few readers at once, and to the others after whatever else waits, in order', async () => {
    const seen = readers(new ReadAhead({ bytes: 0 }), 40);
    expect(seen).toHaveLength(16);
    await nextTurn();
    expect(seen).toHaveLength(32);
    await nextTurn();
    expect(seen).toEqual(Array.from({ length: 40 }, (_, number) => number));
  });

  test('come at once to a reader that is alone', async () => {
    const readAhead = new ReadAhead({ bytes: 0 });
    for (let segment = 0; segment < 100; segment++) {
      expect(readAhead.turn()).toBeUndefined();
      await nextTurn();
    }
  });

  test('do not pass those who wait by', async () => {
    const readAhead = new ReadAhead({ bytes: 0 });
    const first = readers(readAhead, 17);
    await nextTurn();
    expect(first).toHaveLength(17);
    // The reader that waited takes one of this turn's places.
    expect(readers(readAhead, 16)).toHaveLength(15);
  });
});
