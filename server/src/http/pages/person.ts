import type { FastifyRequest } from 'fastify';
import { ExchangeError } from '../../domain/exchange-error.ts';

/** The field in which a script of ours notes how the form was sent; empty where no script ran. */
export const gestureField = 'gesture';

/**
 * Whether a person pressed the button. Mail scanners fetch links, follow them, run scripts and post forms; none of that
 * may open a link. Where scripts run, ours notes a press that the browser vouches for. Where they do not, the browser
 * says by Sec-Fetch-User that a person started the navigation; WebKit does not know that header, and its people are
 * asked to type a word.
 */
export function isPersonsClick(request: FastifyRequest, form: URLSearchParams): boolean {
  const gesture = form.get(gestureField);
  return gesture === 'pressed' || (gesture === '' && request.headers['sec-fetch-user'] === '?1');
}

/** A form of ours is sent from a page of ours. Where the browser does not say, the link's token decides alone. */
export function isOwnForm(request: FastifyRequest): boolean {
  const site = request.headers['sec-fetch-site'];
  return site === undefined || site === 'same-origin' || site === 'none';
}

/** For what a page of ours asks for once its link is open. */
export function requireOwnForm(request: FastifyRequest): void {
  if (!isOwnForm(request)) throw new ExchangeError('cross_site');
}

export function formOf(request: FastifyRequest): URLSearchParams {
  return request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
}
