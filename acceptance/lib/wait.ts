import { setTimeout as pause } from 'node:timers/promises';

/** Calls it repeatedly until the result is not undefined; throws at the deadline. */
export async function eventually<T>(
  what: string,
  ask: () => Promise<T | undefined>,
  { withinMs = 90_000, everyMs = 100 } = {},
): Promise<T> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const response = await ask();
    if (response !== undefined) return response;
    if (Date.now() > deadline) throw new Error(`${what}: not within ${withinMs} ms`);
    await pause(everyMs);
  }
}
