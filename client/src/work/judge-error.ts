import { isWaybillError } from '../errors.ts';
import type { Verdict } from './work-options.ts';

/** Decides what becomes of an entry after an error: a fault of the server or of the network refuses none. */
export function judgeError(error: unknown): Verdict {
  if (!isWaybillError(error)) return 'refuse';
  if (error.isRetryable) return 'keep';
  if (isFaultOfServer(error)) return 'return';
  return isWaybillError(error, 'unauthorized', 'scope_missing', 'network_not_allowed') ? 'stop' : 'refuse';
}

/** Returns whether the same request may succeed later. */
export function mayPass(error: unknown): boolean {
  return isFaultOfServer(error) || (isWaybillError(error) && error.isRetryable);
}

/** Returns whether the same request may succeed later, although nothing says when. */
function isFaultOfServer(error: unknown): boolean {
  return isWaybillError(error, 'internal', 'unexpected_response');
}
