import type { WaybillError } from '../errors.ts';
import type { Surroundings } from '../runtime.ts';

/** How often and how long a request is repeated. */
export interface Patience {
  /** The maximum number of times that a request is sent. */
  attempts: number;
  /** The upper bound of the first pause. It doubles with every further pause. */
  firstPauseMs: number;
  /** The upper bound of all pauses. */
  longestPauseMs: number;
  /** If the server asks for a longer wait, the request is given up. */
  longestRetryAfterMs: number;
}

export const defaultPatience: Patience = {
  attempts: 8,
  firstPauseMs: 200,
  longestPauseMs: 20_000,
  longestRetryAfterMs: 300_000,
};

/**
 * How long to wait before a request that failed `failures` times is sent again; undefined if it should not be. The pause
 * is random up to a growing bound, so that clients that failed together do not come back together, and is added to
 * what the server asked for.
 */
export function pauseBefore(
  patience: Patience,
  surroundings: Surroundings,
  failures: number,
  error: WaybillError,
  mayPass = error.mayPass,
): number | undefined {
  if (!mayPass || failures >= patience.attempts) return undefined;
  const askedMs = (error.retryAfterSeconds ?? 0) * 1000;
  if (askedMs > patience.longestRetryAfterMs) return undefined;
  return askedMs + jitter(patience, surroundings, failures);
}

function jitter(patience: Patience, surroundings: Surroundings, failures: number): number {
  const bound = Math.min(patience.longestPauseMs, patience.firstPauseMs * 2 ** Math.min(failures - 1, 30));
  return surroundings.random() * bound;
}
