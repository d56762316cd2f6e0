import { setTimeout as pause } from 'node:timers/promises';
import { S3ServiceException } from '@aws-sdk/client-s3';
import { ExchangeError, MissingObject } from '../../domain/exchange-error.ts';
import type { ConcurrencyLimiter } from '../../domain/flow/concurrency-limiter.ts';
import { toUnavailable } from './refusal.ts';

const shortestPauseMs = 50;
const longestPauseMs = 1_000;

/** Makes attempts as soon as the limiter has a slot. */
export function withinLimit<Result>(
  limiter: ConcurrencyLimiter,
  signal: AbortSignal | undefined,
  attempt: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  return limiter.run(({ remainingMs }) => persist(remainingMs, signal, attempt), { signal });
}

/** Makes attempts until one succeeds, fails permanently, or time is up. */
export async function persist<Result>(
  deadlineMs: number,
  signal: AbortSignal | undefined,
  attempt: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const deadline = AbortSignal.timeout(deadlineMs);
  const either = signal ? AbortSignal.any([signal, deadline]) : deadline;
  let failure: unknown;
  for (let pauseMs = shortestPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    try {
      return await attempt(either);
    } catch (error) {
      // Why the attempt before failed says more than that time was up in this one.
      failure = (either.aborted && failure) || (deadline.aborted ? nameSilence(error, deadlineMs) : error);
      throwIfCancelled(signal);
      if (either.aborted || !isPassing(error)) throw toExchangeError(failure);
      // With jitter, so that calls that failed together are not retried together.
      await pause(pauseMs * (0.5 + Math.random()), undefined, { signal: either }).catch(() => undefined);
      throwIfCancelled(signal);
      if (either.aborted) throw toExchangeError(failure);
    }
  }
}

/** The client only says that the call was aborted. */
function nameSilence(error: unknown, silenceMs: number): unknown {
  const isAborted = error instanceof Error && error.name === 'AbortError';
  return isAborted ? new Error(`no response within ${Math.round(silenceMs)} ms`) : error;
}

/** A deadline of the caller, such as the end of a lease, cancels nothing: the store did not respond in time. */
function throwIfCancelled(signal: AbortSignal | undefined): void {
  const reason: unknown = signal?.reason;
  if (!(reason instanceof DOMException && reason.name === 'TimeoutError')) signal?.throwIfAborted();
}

/** Whether another attempt may succeed: the store did not respond, or reported an internal error. */
export function isPassing(error: unknown): boolean {
  if (error instanceof ExchangeError) return false;
  const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
  return status === undefined || status >= 500 || status === 429 || status === 408;
}

/** An object that is missing, or shorter than it was, is damaged; any other failure is temporary. */
function toExchangeError(error: unknown): ExchangeError {
  if (error instanceof ExchangeError) return error;
  const name = error instanceof S3ServiceException ? error.name : '';
  if (name === 'NoSuchKey') return new MissingObject({ cause: error });
  if (name === 'InvalidRange') return new ExchangeError('damaged', undefined, { cause: error, engine: 's3' });
  return toUnavailable(error);
}
