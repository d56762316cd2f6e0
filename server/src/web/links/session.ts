import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Engines } from '../../domain/engines.ts';
import { ExchangeError } from '../../domain/exchange-error.ts';
import { findSession } from '../../domain/links/find-link.ts';
import type { Link, LinkSession } from '../../domain/links/link-store.ts';
import { requirePassed } from '../../domain/links/second-factor.ts';
import type { LinkPages } from './link-pages.ts';

/**
 * A browser that opened a link has its own secret in a cookie. The URL identifies the session by a part of the secret's
 * digest, which reveals nothing, so that several links can be open in one browser.
 */
const deriveHandle = (secret: string) =>
  createHash('sha256').update(`handle:${secret}`).digest('base64url').slice(0, 16);

export const sessionPath = (pages: LinkPages, secret: string) => `${pages.home}/${deriveHandle(secret)}/`;

/** Without `expires`, the cookie is deleted when the browser is closed. */
export function sessionCookie(pages: LinkPages, secret: string, expires: Date | undefined, secure: boolean): string {
  return cookie(secret, sessionPath(pages, secret), expires, secure);
}

/** Makes the browser discard the session whose page this request is about. */
export function endedCookie(pages: LinkPages, request: FastifyRequest, secure: boolean): string {
  return cookie('', `${pages.home}/${handleIn(request)}/`, new Date(0), secure);
}

function cookie(value: string, path: string, expires: Date | undefined, secure: boolean): string {
  return [
    `waybill_link=${value}`,
    `Path=${path}`,
    'HttpOnly',
    'SameSite=Lax',
    ...(expires ? [`Expires=${expires.toUTCString()}`] : []),
    ...(secure ? ['Secure'] : []),
  ].join('; ');
}

const handleIn = (request: FastifyRequest) => (request.params as { handle: string }).handle;

/** Reads the secret of the browser's session for this page, if it has one. */
export function readSecret(request: FastifyRequest): string | undefined {
  return (request.headers.cookie ?? '')
    .split(/;\s*/)
    .filter((pair) => pair.startsWith('waybill_link='))
    .map((pair) => pair.slice('waybill_link='.length))
    .find((value) => deriveHandle(value) === handleIn(request));
}

/** Finds a session that this request has just begun. */
export const findSessionOf = (engines: Pick<Engines, 'store' | 'policy'>, secret: string, { type }: LinkPages) =>
  findSession(engines, secret, type);

/** Finds the browser's session, which may still have something to enter. */
export async function requireSession(
  engines: Pick<Engines, 'store' | 'policy'>,
  request: FastifyRequest,
  pages: LinkPages,
): Promise<LinkSession> {
  const secret = readSecret(request);
  if (secret === undefined) throw new ExchangeError('link_not_opened');
  const session = await findSession(engines, secret, pages.type);
  request.dropId = session.link.dropId;
  return session;
}

/** Finds the link of a browser that has entered everything the link asks for. */
export async function requireLink(
  engines: Pick<Engines, 'store' | 'policy' | 'sms'>,
  request: FastifyRequest,
  pages: LinkPages,
): Promise<Link> {
  const session = await requireSession(engines, request, pages);
  requirePassed(engines, session);
  return session.link;
}
