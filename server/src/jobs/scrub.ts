import type { Engines } from '../domain/engines.ts';
import { scrubAlone } from '../domain/files/scrub.ts';
import { RateLimiter } from '../domain/flow/rate-limiter.ts';
import { type Reports, repeat } from '../domain/flow/repeat.ts';

/** Files live for days or weeks: most are read once or twice. */
const restSeconds = 7 * 24 * 60 * 60;

/** With a pause after it, in which an administrator's command can take over. */
const turnMs = 60_000;
const pauseMs = 5_000;

/**
 * Reads all stored files again, slowly, beside the jobs, and begins again a week after it began. One worker at a time
 * does it.
 */
export function startScrubbing(
  engines: Engines,
  { bytesPerSecond, ...reports }: Reports & { bytesPerSecond: number },
): { stop(): Promise<void> } {
  const rateLimiter = new RateLimiter(bytesPerSecond);
  return repeat((signal) => scrubAlone(engines, { signal, rateLimiter, restSeconds, forMs: turnMs }), {
    everyMs: pauseMs,
    ...reports,
  });
}
