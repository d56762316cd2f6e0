import type { WaybillError } from '../errors.ts';
import type { Runtime } from '../runtime.ts';

/** How often and how long a request is repeated. */
export interface RetryPolicy {
  /** The maximum number of times that a request is sent. */
  maxAttempts: number;
  /** The upper bound of the first pause. It doubles with every further pause. */
  initialDelayMs: number;
  /** The upper bound of all pauses. */
  maxDelayMs: number;
  /** If the server asks for a longer wait, the request is given up. */
  maxRetryAfterMs: number;
}

export const defaultRetryPolicy: RetryPolicy = {
  maxAttempts: 8,
  initialDelayMs: 200,
  maxDelayMs: 20_000,
  maxRetryAfterMs: 300_000,
};

/**
 * How long to wait before a request that failed `failures` times is sent again; undefined if it should not be. The pause
 * is random up to a growing bound, so that clients that failed together do not come back together, and is added to
 * what the server asked for.
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
