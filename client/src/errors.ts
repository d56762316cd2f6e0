import { retryableErrors } from './generated/errors.ts';
import type { ErrorCode, Fault } from './generated/wire.ts';

/** Codes of failures in the client, or of the connection to the server. */
export type LocalErrorCode =
  /** The server did not respond, or its response broke off. */
  | 'unreachable'
  /** The response is not one of a Waybill server: probably another program responds at this address. */
  | 'unexpected_response'
  /** A file changed, ended early or could not be read during its upload. */
  | 'source_failed'
  /** A stream of unknown length cannot be kept in the folder for temporary files, which may be full. */
  | 'temporary_folder'
  /** The path of a download exists already. */
  | 'target_exists'
  /** The arguments of the call are invalid. */
  | 'invalid_argument'
  /** No receiver was given. */
  | 'no_receivers'
  /** An address is already a contact. */
  | 'contact_exists';

/** The codes of a `WaybillError`: those of the server, and those of the client. */
export type WaybillErrorCode = ErrorCode | LocalErrorCode;

/** Whether the same request may succeed a moment later. A code of the server is as the server defines it. */
const retryable: Readonly<Record<WaybillErrorCode, boolean>> = {
  contact_exists: false,
  invalid_argument: false,
  no_receivers: false,
  source_failed: false,
  target_exists: false,
  temporary_folder: false,
  unexpected_response: false,
  unreachable: true,
  ...retryableErrors,
};

/** Details of a failure besides its code. */
export interface ErrorDetails {
  /** The HTTP status, if the server responded. */
  status?: number | undefined;
  /** Identifies the HTTP request; quote it to the administrator. */
  instance?: string | undefined;
  /** How many seconds the server asks to wait. */
  retryAfterSeconds?: number | undefined;
  /** The size in bytes of the largest file that would be accepted, if one is too large. */
  maxSize?: number | undefined;
  /** All faults of the request. */
  faults?: readonly Fault[] | undefined;
  /** The error that caused this one. */
  cause?: unknown;
}

/** Every failure of the client except an abort, which is thrown as the signal's reason. */
export class WaybillError<Code extends WaybillErrorCode = WaybillErrorCode> extends Error {
  /** Identifies the error even if a program has loaded the package twice. */
  override readonly name = 'WaybillError';
  /** The kind of failure, for programs. `message` describes it to people. */
  readonly code: Code;
  /** The HTTP status, if the server responded. */
  readonly status: number | undefined;
  /** Identifies the HTTP request; quote it to the administrator. */
  readonly instance: string | undefined;
  /** How many seconds the server asks to wait, if it does. */
  readonly retryAfterSeconds: number | undefined;
  /** The size in bytes of the largest file that would be accepted, if one is too large. */
  readonly maxSize: number | undefined;
  /** All faults of the request, if the server listed them. */
  readonly faults: readonly Fault[];

  /**
   * Creates an error, for tests of your program.
   *
   * @param code The kind of failure.
   * @param message A description for people.
   */
  constructor(code: Code, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.status = details.status;
    this.instance = details.instance;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.maxSize = details.maxSize;
    this.faults = details.faults ?? [];
  }

  /** Whether the same call may succeed later. The client has already retried it. */
  get isRetryable(): boolean {
    return retryable[this.code];
  }
}

/**
 * Checks whether an error is a `WaybillError` and, if codes are given, has one of them.
 *
 * @param error Anything that was thrown.
 * @param codes The codes to accept; any code if none is given.
 * @returns Whether it is one. Narrows the type of the error to the codes.
 */
export function isWaybillError<Code extends WaybillErrorCode = WaybillErrorCode>(
  error: unknown,
  ...codes: Code[]
): error is WaybillError<Code> {
  // Compares the name, not the class: a program may have loaded the package twice, by import and by require.
  if (!(error instanceof Error) || error.name !== 'WaybillError') return false;
  return codes.length === 0 || codes.includes((error as WaybillError).code as Code);
}

export function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(retryableErrors, code);
}

/** Returns undefined instead of throwing a "not found" error. */
export async function ignoreNotFound<T>(found: Promise<T>): Promise<T | undefined> {
  return await found.catch((error: unknown) => {
    if (isWaybillError(error, 'not_found')) return undefined;
    throw error;
  });
}
