import type { WaybillError } from '../errors.ts';
import type { Runtime } from '../runtime.ts';

/** How often and for how long a request is retried. */
export interface RetryPolicy {
  /** The maximum number of attempts, including the first. */
  maxAttempts: number;
  /** The upper bound of the first delay. It doubles with every further delay. */
  initialDelayMs: number;
  /** The upper bound of all delays. */
  maxDelayMs: number;
  /** The request is not retried if the server asks for a longer wait. */
  maxRetryAfterMs: number;
}

/** A request that is sent again. */
export interface Retry {
  /** The number of the next attempt: 2, 3, … */
  attempt: number;
  /** The maximum number of attempts. */
  maxAttempts: number;
  /** Why the last attempt failed. */
  error: WaybillError;
}

export const defaultRetryPolicy: RetryPolicy = {
  maxAttempts: 8,
  initialDelayMs: 200,
  maxDelayMs: 20_000,
  maxRetryAfterMs: 300_000,
};

/**
 * Returns the delay in milliseconds before a request that failed `failures` times is sent again; undefined if it should
 * not be. The delay is random up to a growing bound, so that clients that failed together do not return together, and
 * is added to the wait that the server asked for.
 */
export function retryDelay(
  retryPolicy: RetryPolicy,
  runtime: Runtime,
  failures: number,
  error: WaybillError,
  isRetryable = error.isRetryable,
): number | undefined {
  if (!isRetryable || failures >= retryPolicy.maxAttempts) return undefined;
  const askedMs = (error.retryAfterSeconds ?? 0) * 1000;
  if (askedMs > retryPolicy.maxRetryAfterMs) return undefined;
  return askedMs + randomDelay(retryPolicy, runtime, failures);
}

function randomDelay(retryPolicy: RetryPolicy, runtime: Runtime, failures: number): number {
  const bound = Math.min(retryPolicy.maxDelayMs, retryPolicy.initialDelayMs * 2 ** Math.min(failures - 1, 30));
  return runtime.random() * bound;
}
