import { setTimeout as pause } from 'node:timers/promises';

/** Asks again and again until the answer is not undefined; fails loudly at the deadline. */
export async function eventually<T>(
  what: string,
  ask: () => Promise<T | undefined>,
  { withinMs = 30_000, everyMs = 100 } = {},
): Promise<T> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (Date.now() > deadline) throw new Error(`${what}: not within ${withinMs} ms`);
    await pause(everyMs);
  }
}
