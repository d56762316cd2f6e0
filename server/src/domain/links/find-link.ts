import { tokenDigest } from '../drops/link-token.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { Engines, Link, LinkSession } from '../ports/index.ts';
import { codeTarget } from './second-factor.ts';

const shape = /^[A-Za-z0-9_-]{43}$/;

/** The link behind a token. Looking at it changes nothing: mail scanners look at every link. */
export async function findLink(engines: Pick<Engines, 'store'>, token: string, type: Link['type']): Promise<Link> {
  const link = shape.test(token) ? await engines.store.links.byToken(tokenDigest(token)) : undefined;
  return requireKind(link, type);
}

/** The browser in which a person opened a link; a code may still be asked of it. */
export async function findSession(
  engines: Pick<Engines, 'store'>,
  secret: string,
  type: Link['type'],
): Promise<LinkSession> {
  const session = shape.test(secret) ? await engines.store.links.bySession(tokenDigest(secret)) : undefined;
  if (!session) throw new ExchangeError('not_found');
  requireKind(session.link, type);
  return session;
}

/** Whether all that was asked of this browser has been shown. */
export function isPassed(engines: Pick<Engines, 'policy' | 'sms'>, session: LinkSession): boolean {
  return session.passed || codeTarget(engines, session.link) === undefined;
}

/** A download link opens no upload page, nor the other way round. */
function requireKind(link: Link | undefined, type: Link['type']): Link {
  if (!link || link.type !== type) throw new ExchangeError('not_found');
  requireLive(link);
  return link;
}

export function requireLive(link: Pick<Link, 'ended' | 'revoked'>): void {
  const ending = endingOf(link);
  if (ending) throw ending;
}

/** What is said of a drop that is over; nothing while it is not. */
export function endingOf({ ended, revoked }: Pick<Link, 'ended' | 'revoked'>): ExchangeError | undefined {
  if (revoked) return new ExchangeError('link_revoked');
  return ended ? new ExchangeError('link_ended') : undefined;
}
