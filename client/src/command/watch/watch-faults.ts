import { isWaybillError, type WaybillErrorCode } from '../../errors.ts';
import { findFileErrorCode } from '../file-errors.ts';
import { isFaultOfMachine } from '../pull/pull-faults.ts';
import { isDiskFull } from '../pull/room.ts';

/**
 * The consequence of an error. `end`: of the account, so that every file would be refused until somebody acts. `pause`: of
 * the server or the machine; every other file would meet it, too. `later`: of this file, for now. `refuse`: of this file,
 * for good.
 */
type Consequence = 'end' | 'pause' | 'later' | 'refuse';

const consequences: Partial<Record<WaybillErrorCode, Consequence>> = {
  unauthorized: 'end',
  network_not_allowed: 'end',
  scope_missing: 'end',
  wrong_host: 'end',
  unreachable: 'pause',
  unexpected_response: 'pause',
  unavailable: 'pause',
  too_many_requests: 'pause',
  daily_limit: 'pause',
  storage_full: 'later',
  internal: 'later',
  damaged: 'later',
  digest_mismatch: 'later',
  upload_superseded: 'later',
  upload_worn_out: 'later',
  files_not_ready: 'later',
  not_found: 'later',
};

/** Returns whether an error of the file system is one that every other file would meet, such as a full disk. */
export function isFaultOfAllFiles(error: unknown): boolean {
  return !isWaybillError(error) && (isFaultOfMachine(error) || isDiskFull(error));
}

const tooManyRequests = 429;

export function judgeFault(error: unknown): Consequence {
  if (isFaultOfAllFiles(error)) return 'pause';
  if (!isWaybillError(error)) return findFileErrorCode(error) === undefined ? 'end' : 'later';
  // A file that is larger than all that the account may store.
  if (error.code === 'storage_full' && error.maxSize !== undefined) return 'refuse';
  // A proxy refuses one request, such as one that is too large for it.
  if (error.code === 'unexpected_response' && isOfRequest(error.status)) return 'later';
  return consequences[error.code] ?? (error.isRetryable ? 'later' : 'refuse');
}

function isOfRequest(status: number | undefined): boolean {
  return status !== undefined && status >= 400 && status < 500 && status !== tooManyRequests;
}
