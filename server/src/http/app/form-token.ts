import { createHmac, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { ExchangeError } from '../../domain/exchange-error.ts';

const tokenBytes = 32;

/** The token of the forms of a browser: a MAC under the secret in its cookie, which no other site can read. */
export function makeFormToken(secret: string): string {
  return createHmac('sha256', secret).update('waybill form').digest('base64url');
}

/**
 * Requires that a page of ours, shown to the same browser, sent the request. The token alone would do; what the browser
 * says about the origin also stops a request whose token has leaked.
 */
export function requireOwnRequest(request: FastifyRequest, origin: string, secret: string, token: unknown): void {
  const { 'sec-fetch-site': site, origin: sender } = request.headers;
  if (site !== undefined ? site !== 'same-origin' : sender !== undefined && sender !== origin) {
    throw new ExchangeError('cross_site');
  }
  const offered = Buffer.from(typeof token === 'string' ? token : '', 'base64url');
  const expected = Buffer.from(makeFormToken(secret), 'base64url');
  if (offered.length !== tokenBytes || !timingSafeEqual(offered, expected)) throw new ExchangeError('form_expired');
}
