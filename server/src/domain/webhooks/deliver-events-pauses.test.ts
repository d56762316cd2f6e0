import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { readPause, retryPause } from './deliver-events.ts';

const filledWith = (byte: number) => ({ bytes: (length: number) => Buffer.alloc(length, byte), uuid: randomUUID });

describe('attempts', () => {
  test('are twelve, with pauses from 5 seconds to 24 hours', () => {
    const pauses = Array.from({ length: 12 }, (_, index) => retryPause(index + 1, filledWith(0)));
    expect(pauses).toEqual([5, 30, 120, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400, undefined]);
  });

  test('are up to a fifth later, at random', () => {
    expect(retryPause(4, filledWith(255))).toBe(360);
    const random = { bytes: randomBytes, uuid: randomUUID };
    const many = Array.from({ length: 100 }, () => retryPause(4, random) as number);
    expect(new Set(many).size).toBeGreaterThan(20);
    expect(many.every((pause) => pause >= 300 && pause <= 360)).toBe(true);
  });
});

test.each([
  [{ status: 503, retryAfterSeconds: 120 }, 120],
  [{ status: 429, retryAfterSeconds: 1_000_000 }, 3600],
  [{ status: 429, retryAfterSeconds: undefined }, null],
  [{ status: 500, retryAfterSeconds: 120 }, null],
  [{ failure: 'timeout' }, null],
] as const)('%o asks for a pause of %s seconds', (outcome, seconds) => {
  expect(readPause(outcome)).toBe(seconds);
});
