import type { Engines } from '../engines.ts';
import type { Link } from './link-store.ts';
import { tokenDigest } from './link-token.ts';

/** Ends this browser's session, even for someone with a copy of its cookie. Returns the link that it belonged to. */
export async function closeSession(engines: Pick<Engines, 'store'>, secret: string): Promise<Link | undefined> {
  const { links } = engines.store;
  const session = await links.bySession(tokenDigest(secret));
  if (session) await links.close(session.digest);
  return session?.link;
}
