import type { ErrorCode, Fault } from './generated/wire.ts';

/** What can go wrong in the client, or on the way to the server. */
export type LocalErrorCode =
  /** No answer, or one that broke off. */
  | 'unreachable'
  /** An answer that a Waybill server does not give: most likely another program answers at this address. */
  | 'unexpected_response'
  /** A file changed, ended early or could not be read while it was uploaded. */
  | 'source_failed'
  /** Something is already where a download should go. */
  | 'target_exists'
  /** The call is wrong in itself. */
  | 'invalid_argument'
  /** There is no receiver. */
  | 'no_receivers'
  /** There is no file to send. */
  | 'no_files'
  /** There are more files than one drop may have. */
  | 'too_many_files'
  /** An address is already a contact. */
  | 'contact_exists';

/** What a `WaybillError` can be: a refusal of the server, or a failure on this side. */
export type WaybillErrorCode = ErrorCode | LocalErrorCode;

/**
 * Whether the same request may succeed a moment later. Exhaustive: a new code does not compile until it is decided
 * here.
 */
const retryable: Record<WaybillErrorCode, boolean> = {
  malformed_request: false,
  invalid_input: false,
  invalid_name: false,
  unauthorized: false,
  scope_missing: false,
  network_not_allowed: false,
  not_found: false,
  link_ended: false,
  link_revoked: false,
  files_not_ready: false,
  upload_superseded: false,
  upload_worn_out: false,
  contact_exists: false,
  no_receivers: false,
  no_files: false,
  too_many_files: false,
  idempotency_key_reused: false,
  request_in_flight: true,
  cursor_expired: false,
  too_many_keys: false,
  lease_not_held: false,
  not_parked: false,
  too_many_webhooks: false,
  precondition_failed: false,
  too_large: false,
  too_large_to_scan: false,
  storage_full: false,
  recipient_not_allowed: false,
  encrypted: false,
  unsupported_media_type: false,
  range_not_satisfiable: false,
  wrong_host: false,
  infected: false,
  headers_too_large: false,
  request_timeout: true,
  too_many_requests: true,
  too_many_messages: true,
  daily_limit: true,
  unavailable: true,
  damaged: false,
  internal: false,
  unreachable: true,
  unexpected_response: false,
  digest_mismatch: false,
  source_failed: false,
  target_exists: false,
  invalid_argument: false,
};

/** What is known of a failure besides its code. */
export interface ErrorDetails {
  /** The HTTP status, if there was an answer. */
  status?: number | undefined;
  /** The HTTP request, to quote to the administrator. */
  instance?: string | undefined;
  /** How long the server asks to wait. */
  retryAfterSeconds?: number | undefined;
  /** Everything that is wrong with the request. */
  faults?: readonly Fault[] | undefined;
  /** The error that led to this one. */
  cause?: unknown;
}

/** Every failure of the client except an abort, which is thrown as the signal's reason. */
export class WaybillError<Code extends WaybillErrorCode = WaybillErrorCode> extends Error {
  /** Tells it from other errors, also if a program has loaded the package twice. */
  override readonly name = 'WaybillError';
  /** What went wrong, for programs. `message` says it to people, and what to do next. */
  readonly code: Code;
  /** The HTTP status, if there was an answer. */
  readonly status: number | undefined;
  /** The HTTP request, to quote to the administrator. */
  readonly instance: string | undefined;
  /** How long the server asks to wait, if it does. */
  readonly retryAfterSeconds: number | undefined;
  /** Everything that is wrong with the request, if the server listed it. */
  readonly faults: readonly Fault[];

  /**
   * For tests of your program: the client itself makes all others.
   *
   * @param code What went wrong.
   * @param message The same for people.
   */
  constructor(code: Code, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.status = details.status;
    this.instance = details.instance;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.faults = details.faults ?? [];
  }

  /** Whether the same call may succeed later. The client has retried it already. */
  get isRetryable(): boolean {
    return retryable[this.code];
  }
}

/**
 * Tells whether an error is one of the client's and, if codes are given, has one of them.
 *
 * @param error Anything that was thrown.
 * @param codes The codes to look for; none: any code.
 * @returns Whether it is. The type of the error is narrowed to the codes.
 */
export function isWaybillError<Code extends WaybillErrorCode = WaybillErrorCode>(
  error: unknown,
  ...codes: Code[]
): error is WaybillError<Code> {
  // By name and not by class: a program may have loaded the package twice, by import and by require.
  if (!(error instanceof Error) || error.name !== 'WaybillError') return false;
  return codes.length === 0 || codes.includes((error as WaybillError).code as Code);
}

export function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(retryable, code);
}
