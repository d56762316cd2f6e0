import { isWaybillError, type WaybillErrorCode } from '../../errors.ts';
import { describeFileError } from '../file-errors.ts';

type Advice = Partial<Record<WaybillErrorCode, { next: string }>>;

/** Next steps for a file in `failed`. */
const failed: Advice = {
  infected: { next: 'Do not send this file. Nothing was sent.' },
  encrypted: { next: 'Ask the administrator to accept encrypted files, then move the file back to be sent.' },
  too_large: { next: 'Ask the administrator for a higher limit, then move the file back to be sent.' },
  too_large_to_scan: {
    next: 'Ask the administrator whether larger files can be scanned, then move the file back to be sent.',
  },
  storage_full: { next: 'Ask the administrator for more storage, then move the file back to be sent.' },
  invalid_name: { next: 'Rename the file, then move it back to be sent.' },
  recipient_not_allowed: {
    next: 'Ask the administrator to allow the receiver, then move the file back to be sent.',
  },
  source_failed: { next: 'Check the file, then move it back to be sent.' },
};
const otherFailed = { next: 'Correct what the message says, then move the file back to be sent.' };

/** Next steps for a file that is tried again. */
const waiting: Advice = {
  storage_full: {
    next: 'Revoke drops that are not needed any more (waybill history), or ask the administrator for more storage. It is tried again by itself.',
  },
  damaged: { next: 'Contact the administrator of the server if it happens again. It is tried again by itself.' },
  internal: { next: 'Contact the administrator of the server if it happens again. It is tried again by itself.' },
  unexpected_response: { next: 'Check whether a proxy refuses the file. It is tried again by itself.' },
};
const otherWaiting = { next: 'Nothing has to be done: it is tried again by itself.' };

/** Returns the next step for a file that is not tried again. What holds for a single command does not hold here. */
export function adviseOnFailed(error: unknown): string {
  return ((isWaybillError(error) ? failed[error.code] : undefined) ?? otherFailed).next;
}

/** Returns the next step for a file that is tried again. */
export function adviseOnWaiting(error: unknown): string {
  if (isWaybillError(error)) return (waiting[error.code] ?? otherWaiting).next;
  const next = describeFileError(error)?.next;
  return next === undefined ? otherWaiting.next : `${next} It is tried again by itself.`;
}
