import type { WaybillError } from './errors.ts';
import type { Surroundings } from './surroundings.ts';

/** How often and how long a request is repeated. */
export interface Patience {
  /** How many times a request is sent at most. */
  attempts: number;
  /** The first pause is up to this long; each further one up to twice as long as the one before. */
  firstPauseMs: number;
  longestPauseMs: number;
  /** A server that asks for a longer wait than this is not waited for. */
  longestRetryAfterMs: number;
}

export const defaultPatience: Patience = {
  attempts: 8,
  firstPauseMs: 200,
  longestPauseMs: 20_000,
  longestRetryAfterMs: 300_000,
};

/**
 * How long to wait before a request that failed `failures` times is sent again, or undefined where it is not worth it.
 * The pause is random up to a growing bound, so that clients which failed together do not come back together; what
 * the server asked for is waited out first.
 */
export function pauseBefore(
  patience: Patience,
  surroundings: Surroundings,
  failures: number,
  error: WaybillError,
): number | undefined {
  if (!error.mayPass || failures >= patience.attempts) return undefined;
  const askedMs = (error.retryAfterSeconds ?? 0) * 1000;
  if (askedMs > patience.longestRetryAfterMs) return undefined;
  return askedMs + jitter(patience, surroundings, failures);
}

export function jitter(patience: Patience, surroundings: Surroundings, failures: number): number {
  const bound = Math.min(patience.longestPauseMs, patience.firstPauseMs * 2 ** Math.min(failures - 1, 30));
  return surroundings.random() * bound;
}
