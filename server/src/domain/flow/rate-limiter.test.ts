import { expect, test } from 'vitest';
import { RateLimiter } from './rate-limiter.ts';

test('delays work to the given rate, and stops waiting when aborted', async () => {
  const limiter = new RateLimiter(1024 * 1024);
  const began = performance.now();
  await limiter.acquire(1024 * 1024, new AbortController().signal);
  await limiter.acquire(50 * 1024, new AbortController().signal);
  expect(performance.now() - began).toBeGreaterThan(40);
  await limiter.acquire(1024 ** 4, AbortSignal.timeout(10));
  expect(performance.now() - began).toBeLessThan(5_000);
});
