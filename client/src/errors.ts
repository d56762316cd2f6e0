import type { ErrorCode } from './wire.ts';

/** What can go wrong on this side of the wire, or on the way. */
export type LocalErrorCode =
  /** No answer, or one that broke off. */
  | 'unreachable'
  /** An answer that no Waybill server gives: most likely another program answers at this address. */
  | 'unexpected_answer'
  /** The bytes that arrived are not those that were sent. */
  | 'digest_mismatch'
  /** A file changed, ended early or could not be read while it was uploaded. */
  | 'source_failed'
  /** Something is already where a download should go. */
  | 'target_exists'
  /** The call itself makes no sense. */
  | 'invalid_argument';

export type WaybillErrorCode = ErrorCode | LocalErrorCode;

/**
 * Whether the same request may succeed a moment later. The list is exhaustive: a new code does not compile until it
 * is decided here.
 */
const mayPass: Record<WaybillErrorCode, boolean> = {
  malformed_request: false,
  invalid_input: false,
  invalid_name: false,
  unauthorized: false,
  csrf_rejected: false, // has a cure of its own: another token
  wrong_account: false,
  cross_site: false,
  not_found: false,
  link_ended: false,
  link_revoked: false,
  code_required: false,
  files_not_ready: false,
  upload_superseded: false,
  upload_worn_out: false,
  method_not_allowed: false,
  contact_exists: false,
  unknown_contact: false,
  no_receivers: false,
  no_files: false,
  file_list_not_initialized: false,
  too_many_files: false,
  idempotency_key_reused: false,
  precondition_failed: false,
  too_large: false,
  too_large_to_scan: false,
  encrypted: false,
  unsupported_media_type: false,
  range_not_satisfiable: false,
  wrong_host: false,
  infected: false,
  headers_too_large: false,
  request_timeout: true,
  too_many_requests: true,
  too_many_messages: true,
  too_many_transfers: true,
  unavailable: true,
  damaged: false,
  internal: false,
  unreachable: true,
  unexpected_answer: false,
  digest_mismatch: false,
  source_failed: false,
  target_exists: false,
  invalid_argument: false,
};

interface ErrorDetails {
  status?: number | undefined;
  requestId?: string | undefined;
  retryAfterSeconds?: number | undefined;
  cause?: unknown;
}

/** Every failure of the client but an abort, which is thrown as the signal's reason. */
export class WaybillError<Code extends WaybillErrorCode = WaybillErrorCode> extends Error {
  override readonly name = 'WaybillError';
  readonly code: Code;
  /** The HTTP status, where there was an answer. */
  readonly status: number | undefined;
  /** What to quote to the administrator. */
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: Code, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.status = details.status;
    this.requestId = details.requestId;
    this.retryAfterSeconds = details.retryAfterSeconds;
  }

  /** The same request may succeed a moment later. */
  get mayPass(): boolean {
    return mayPass[this.code];
  }
}

/** Whether an error is the client's, with one of these codes where some are named. */
export function isWaybillError<Code extends WaybillErrorCode = WaybillErrorCode>(
  error: unknown,
  ...codes: Code[]
): error is WaybillError<Code> {
  // By name, not by class: a program may have loaded the package twice, once by import and once by require.
  if (!(error instanceof Error) || error.name !== 'WaybillError') return false;
  return codes.length === 0 || codes.includes((error as WaybillError).code as Code);
}

export function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(mayPass, code);
}
