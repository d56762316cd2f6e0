import { defaultRuntime, type Runtime } from '../runtime.ts';

/** The least that passes between two ticks on an idle machine: a minute takes less than a second. */
const tickMs = 200;

/**
 * A clock that stands still while the event loop does: a busy machine slows the clock down, and no time runs out because of it.
 */
export function tickingRuntime(): Runtime & Disposable {
  let now = Date.now();
  const waiting = new Set<() => void>();
  const timer = setInterval(() => {
    now += tickMs;
    for (const look of waiting) look();
  }, 1);
  const sleep: Runtime['sleep'] = (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      const end = now + milliseconds;
      const look = () => {
        if (!signal?.aborted && now < end) return;
        waiting.delete(look);
        signal?.removeEventListener('abort', look);
        if (signal?.aborted) reject(signal.reason as Error);
        else resolve();
      };
      waiting.add(look);
      signal?.addEventListener('abort', look);
      look();
    });
  return { ...defaultRuntime, random: () => 0.5, now: () => now, sleep, [Symbol.dispose]: () => clearInterval(timer) };
}
