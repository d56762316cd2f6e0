import { type ErrorCode, errors } from '@waybill/protocol';
import { ExchangeError } from '../../domain/exchange-error.ts';

type Reason = 'expired' | 'revoked' | 'not_opened' | 'unknown' | 'refused' | 'too_many' | 'busy' | 'error';

export interface Problem {
  readonly status: number;
  /** The text of the page; `error` means that it is our fault. */
  readonly reason: Reason;
}

const fault: Problem = { status: 500, reason: 'error' };

/** Reasons that do not follow from the status alone. */
const reasons: Partial<Record<ErrorCode, Reason>> = {
  link_not_opened: 'not_opened',
  link_ended: 'expired',
  link_revoked: 'revoked',
  too_many_requests: 'too_many',
  too_many_messages: 'too_many',
  too_many_transfers: 'busy',
};

/** Converts any error. Fastify's own errors have their own status; any other error is a bug. */
export function toProblem(error: unknown): Problem {
  if (!(error instanceof ExchangeError)) {
    const { statusCode = 500 } = error as { statusCode?: number };
    return statusCode < 500 ? { status: statusCode, reason: 'unknown' } : fault;
  }
  const { status, surfaces } = errors[error.code];
  if (!surfaces.includes('pages')) return status < 500 ? { status, reason: 'refused' } : fault;
  return { status, reason: reasons[error.code] ?? (status < 500 ? 'unknown' : 'error') };
}
