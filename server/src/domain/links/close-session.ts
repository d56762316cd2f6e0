import { tokenDigest } from '../drops/link-token.ts';
import type { Engines, Link } from '../ports/index.ts';

/** Nobody can use this browser's session any more, not even with a copy of its cookie. Returns whose link it was. */
export async function closeSession(engines: Pick<Engines, 'store'>, secret: string): Promise<Link | undefined> {
  const { links } = engines.store;
  const session = await links.bySession(tokenDigest(secret));
  if (session) await links.close(session.digest);
  return session?.link;
}
