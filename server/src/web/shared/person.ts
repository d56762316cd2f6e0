import type { FastifyRequest } from 'fastify';
import { ExchangeError } from '../../domain/exchange-error.ts';

/** The longest body of a form: more than any of ours needs, except the one with files. */
export const formBytes = 16 * 1024;

/** The field in which our script records how the form was sent; empty if no script ran. */
export const gestureField = 'gesture';

/**
 * Whether a person pressed the button. Mail scanners fetch links, follow them, run scripts and post forms; none of that
 * may open a link. If scripts run, ours records a press that the browser vouches for. If they do not, the browser says
 * through Sec-Fetch-User that a person started the navigation; WebKit does not send that header, and its users are
 * asked to type a word.
 */
export function isPersonsClick(request: FastifyRequest, form: URLSearchParams): boolean {
  const gesture = form.get(gestureField);
  return gesture === 'pressed' || (gesture === '' && request.headers['sec-fetch-user'] === '?1');
}

/** Whether one of our own pages sent the form. If the browser does not say, the link's token alone decides. */
export function isOwnForm(request: FastifyRequest): boolean {
  const site = request.headers['sec-fetch-site'];
  return site === undefined || site === 'same-origin' || site === 'none';
}

/** Protects requests that our pages make once their link is open. */
export function requireOwnForm(request: FastifyRequest): void {
  if (!isOwnForm(request)) throw new ExchangeError('cross_site');
}

export function toForm(request: FastifyRequest): URLSearchParams {
  return request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
}
