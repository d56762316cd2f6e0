import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * The cookies of the app:
 *
 * - `session`: a person who has signed in, or has begun to
 * - `form`: a browser in which nobody has; its forms are bound to it
 * - `device`: a browser in which a person has signed in before
 * - `account`: the account in which the person worked last
 * - `provider`: a sign-in that continues at an identity provider
 * - `identity`: what a provider has recognised, until the person decides whether to add it
 */
export type CookieName = 'session' | 'form' | 'device' | 'account' | 'provider' | 'identity';

/** Over HTTPS, the browser accepts the cookie only from this very host, and only over HTTPS. */
const toName = (name: CookieName, secure: boolean) => `${secure ? '__Host-' : ''}waybill_${name}`;

export function readCookie(request: FastifyRequest, name: CookieName, secure: boolean): string | undefined {
  const prefix = `${toName(name, secure)}=`;
  const values = (request.headers.cookie ?? '').split(/;\s*/).filter((pair) => pair.startsWith(prefix));
  // Two of them: another host of the same site has planted one, where the prefix of the name does not prevent it.
  return values.length === 1 ? values[0]?.slice(prefix.length) : undefined;
}

/** Without `seconds`, the cookie is deleted when the browser is closed. */
export function writeCookie(
  reply: FastifyReply,
  name: CookieName,
  value: string,
  { secure, seconds }: { secure: boolean; seconds?: number },
): void {
  const parts = [`${toName(name, secure)}=${value}`, 'Path=/', 'HttpOnly', 'SameSite=Lax'];
  if (seconds !== undefined) parts.push(`Max-Age=${seconds}`);
  if (secure) parts.push('Secure');
  // Fastify adds it to those that were set before.
  reply.header('set-cookie', parts.join('; '));
}

export function deleteCookie(reply: FastifyReply, name: CookieName, secure: boolean): void {
  writeCookie(reply, name, '', { secure, seconds: 0 });
}

/** Whether the request comes with a session, and with nothing else that says who makes it. */
export function hasSessionAlone({ cookie, authorization }: IncomingHttpHeaders): boolean {
  return authorization === undefined && /(?:^|;\s*)(?:__Host-)?waybill_session=/.test(cookie ?? '');
}
