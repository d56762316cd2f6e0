import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { ExchangeError } from '../../domain/exchange-error.ts';
import { findSession } from '../../domain/links/find-link.ts';
import type { Engines, Link } from '../../domain/ports.ts';

/**
 * A browser that opened a link has a secret of its own in a cookie. The address names it by a part of the secret's
 * digest, which tells nothing, so that several links can be open in one browser.
 */
const handleOf = (secret: string) => createHash('sha256').update(`handle:${secret}`).digest('base64url').slice(0, 16);

export const sessionPath = (secret: string) => `/download/${handleOf(secret)}/`;

export function sessionCookie(secret: string, expires: Date, secure: boolean): string {
  const parts = [`waybill_link=${secret}`, `Path=${sessionPath(secret)}`, 'HttpOnly', 'SameSite=Lax'];
  return [...parts, `Expires=${expires.toUTCString()}`, ...(secure ? ['Secure'] : [])].join('; ');
}

export async function linkOfSession(engines: Pick<Engines, 'store'>, request: FastifyRequest): Promise<Link> {
  const { handle } = request.params as { handle: string };
  const cookies = (request.headers.cookie ?? '').split(/;\s*/);
  const secret = cookies
    .filter((cookie) => cookie.startsWith('waybill_link='))
    .map((cookie) => cookie.slice('waybill_link='.length))
    .find((value) => handleOf(value) === handle);
  if (secret === undefined) throw new ExchangeError('not_found');
  return findSession(engines, secret, 'downloadfiles');
}
