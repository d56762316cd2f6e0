import { limits } from '@waybill/protocol';
import { ExchangeError } from '../../domain/exchange-error.ts';

/** The error for a file that is too large for a single request, which is not too large for the server. */
export function refuseWholeFile(): ExchangeError {
  const maxBytes = limits.wholeUploadBytes;
  return new ExchangeError(
    'too_large',
    `A file of more than ${maxBytes} bytes comes in parts. Send it by the tus protocol: begin with \`Tus-Resumable: 1.0.0\` and \`Upload-Length\`, without a body.`,
    { maxBytes },
  );
}

export function refuseLargeBody(maxBytes: number): ExchangeError {
  return new ExchangeError('too_large', `The body may have up to ${maxBytes} bytes. Send less at once.`);
}
