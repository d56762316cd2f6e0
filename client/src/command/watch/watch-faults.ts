import { isWaybillError, type WaybillErrorCode } from '../../errors.ts';
import { findFileErrorCode } from '../file-errors.ts';
import { isFaultOfMachine } from '../pull/pull-faults.ts';

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

export function judgeFault(error: unknown): Consequence {
  if (isFaultOfMachine(error) && !isWaybillError(error)) return 'pause';
  if (!isWaybillError(error)) return findFileErrorCode(error) === undefined ? 'end' : 'later';
  // A file that is larger than all that the account may store.
  if (error.code === 'storage_full' && error.maxSize !== undefined) return 'refuse';
  return consequences[error.code] ?? (error.isRetryable ? 'later' : 'refuse');
}
