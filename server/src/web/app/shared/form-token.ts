import { createHmac, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { ExchangeError } from '../../../domain/exchange-error.ts';
import type { Part } from '../../../http/transfer/multipart.ts';

const tokenBytes = 32;

/** The token of the forms of a browser: a MAC under the secret in its cookie, which no other site can read. */
export function makeFormToken(secret: string): string {
  return createHmac('sha256', secret).update('waybill form').digest('base64url');
}

/** Requires that a page of ours sent the request, as far as the browser says: a token alone could have leaked. */
export function requireOwnOrigin(request: FastifyRequest, origin: string): void {
  const { 'sec-fetch-site': site, origin: sender } = request.headers;
  if (site !== undefined ? site !== 'same-origin' : sender !== undefined && sender !== origin) {
    throw new ExchangeError('cross_site');
  }
}

/**
 * Requires that the browser itself made the request, or a page of ours: every browser that has a Share menu says so, and no
 * page of another site can.
 */
export function requireNoOtherSite({ headers }: FastifyRequest): void {
  const site = headers['sec-fetch-site'];
  if (site !== 'none' && site !== 'same-origin') throw new ExchangeError('cross_site');
}

/** Requires that the page was shown to the same browser. */
export function requireFormToken(secret: string, token: unknown): void {
  const offered = Buffer.from(typeof token === 'string' ? token : '', 'base64url');
  const expected = Buffer.from(makeFormToken(secret), 'base64url');
  if (offered.length !== tokenBytes || !timingSafeEqual(offered, expected)) throw new ExchangeError('form_expired');
}

/** Reads the token of a form with files from its first part, before any file arrives. */
export async function readTokenPart(parts: AsyncIterator<Part>): Promise<string | undefined> {
  const { value: part } = await parts.next();
  if (part?.name !== 'csrftoken' || part.fileName !== undefined) return undefined;
  let token = '';
  for await (const bytes of part.bytes) {
    token += bytes.toString('latin1');
    if (token.length > 2 * tokenBytes) return undefined;
  }
  return token;
}
