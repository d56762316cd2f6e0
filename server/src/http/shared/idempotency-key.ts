import { limits } from '@waybill/protocol';
import type { FastifyRequest } from 'fastify';
import { ExchangeError } from '../../domain/exchange-error.ts';

/** Decides alone whether a request is a repetition. */
export function readIdempotencyKey({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
  const key = headers['idempotency-key'] as string | undefined;
  if (key !== undefined && !/^[\x21-\x7e]+$/.test(key.slice(0, limits.idempotencyKeyLength + 1).replaceAll(' ', '_'))) {
    throw new ExchangeError('malformed_request', 'Idempotency-Key takes printable ASCII.');
  }
  if (key !== undefined && key.length > limits.idempotencyKeyLength) {
    throw new ExchangeError(
      'malformed_request',
      `Idempotency-Key takes up to ${limits.idempotencyKeyLength} characters.`,
    );
  }
  return key;
}

/** The header's draft specification quotes the key; many clients do not. */
export function readUnquotedIdempotencyKey(request: Pick<FastifyRequest, 'headers'>): string | undefined {
  const key = readIdempotencyKey(request);
  return /^"([^"]+)"$/.exec(key ?? '')?.[1] ?? key;
}
