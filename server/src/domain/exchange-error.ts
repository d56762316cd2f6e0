import { type ErrorCode, errorMessages } from '@waybill/protocol';

/** The only error the domain throws on purpose. Anything else that surfaces is a bug and answers `internal`. */
export class ExchangeError extends Error {
  readonly code: ErrorCode;
  /** How long the caller should wait, where that is known. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: ErrorCode,
    message: string = errorMessages[code],
    options?: ErrorOptions & { readonly retryAfterSeconds?: number },
  ) {
    super(message, options);
    this.name = 'ExchangeError';
    this.code = code;
    this.retryAfterSeconds = options?.retryAfterSeconds;
  }
}
