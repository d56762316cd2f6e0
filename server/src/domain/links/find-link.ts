import { tokenDigest } from '../drops/link-token.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { Engines, Link } from '../ports.ts';

const shape = /^[A-Za-z0-9_-]{43}$/;

/** The link behind a token. Looking at it changes nothing: mail scanners look at every link. */
export async function findLink(engines: Pick<Engines, 'store'>, token: string, type: Link['type']): Promise<Link> {
  return requireLive(shape.test(token) ? await engines.store.links.byToken(tokenDigest(token)) : undefined, type);
}

/** The link that a person opened in this browser. */
export async function findSession(engines: Pick<Engines, 'store'>, secret: string, type: Link['type']): Promise<Link> {
  return requireLive(shape.test(secret) ? await engines.store.links.bySession(tokenDigest(secret)) : undefined, type);
}

/** A download link opens no upload page, nor the other way round. */
function requireLive(link: Link | undefined, type: Link['type']): Link {
  if (!link || link.type !== type) throw new ExchangeError('not_found');
  if (link.ended) throw new ExchangeError('link_ended');
  return link;
}
