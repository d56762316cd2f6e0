import { type ErrorCode, errorMessages } from '@waybill/protocol';

/** The only error the domain throws on purpose. Anything else that surfaces is a bug and answers `internal`. */
export class ExchangeError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string = errorMessages[code], options?: ErrorOptions) {
    super(message, options);
    this.name = 'ExchangeError';
    this.code = code;
  }
}
