import type { ErrorCode } from '@waybill/protocol';
import { ExchangeError } from '../../domain/exchange-error.ts';

export interface Problem {
  readonly status: number;
  /** What the page says; `error` means that it is our fault. */
  readonly says: 'expired' | 'revoked' | 'not_opened' | 'unknown' | 'too_many' | 'busy' | 'error';
}

const unknown = (status: number): Problem => ({ status, says: 'unknown' });
/** Only the machine API and the page's script receive this; on a page it would be our fault. */
const fault: Problem = { status: 500, says: 'error' };

/** The response to every code on this surface. A new code does not compile until it is listed here. */
const problems: Record<ErrorCode, Problem> = {
  malformed_request: unknown(400),
  invalid_input: unknown(400),
  invalid_name: unknown(400),
  cross_site: unknown(403),
  code_required: unknown(403),
  not_found: unknown(404),
  link_not_opened: { status: 404, says: 'not_opened' },
  method_not_allowed: unknown(405),
  request_timeout: unknown(408),
  link_ended: { status: 410, says: 'expired' },
  link_revoked: { status: 410, says: 'revoked' },
  too_large: unknown(413),
  unsupported_media_type: unknown(415),
  range_not_satisfiable: unknown(416),
  wrong_host: unknown(421),
  too_many_requests: { status: 429, says: 'too_many' },
  too_many_messages: { status: 429, says: 'too_many' },
  too_many_transfers: { status: 429, says: 'busy' },
  headers_too_large: unknown(431),
  damaged: fault,
  internal: fault,
  unavailable: { status: 503, says: 'error' },
  unauthorized: fault,
  scope_missing: fault,
  network_not_allowed: fault,
  request_in_flight: fault,
  cursor_expired: fault,
  too_many_keys: fault,
  lease_not_held: fault,
  not_parked: fault,
  too_many_webhooks: fault,
  csrf_rejected: fault,
  wrong_account: fault,
  contact_exists: fault,
  unknown_contact: fault,
  no_receivers: fault,
  no_files: fault,
  file_list_not_initialized: fault,
  too_many_files: fault,
  idempotency_key_reused: fault,
  precondition_failed: fault,
  too_large_to_scan: fault,
  storage_full: fault,
  daily_limit: fault,
  recipient_not_allowed: fault,
  infected: fault,
  encrypted: fault,
  digest_mismatch: fault,
  files_not_ready: fault,
  upload_superseded: fault,
  upload_worn_out: fault,
};

/** Fastify's own errors have their own status; any other error is a bug. */
export function problemOf(error: unknown): Problem {
  if (error instanceof ExchangeError) return problems[error.code];
  const { statusCode = 500 } = error as { statusCode?: number };
  return statusCode < 500 ? unknown(statusCode) : fault;
}
