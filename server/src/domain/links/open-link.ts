import { tokenDigest } from '../drops/link-token.ts';
import type { Engines, Link } from '../ports.ts';

/** A person's click swaps the link for a secret of this browser's own. Answers the secret; only its digest is kept. */
export async function openLink(engines: Pick<Engines, 'store' | 'random'>, link: Link): Promise<string> {
  const secret = engines.random.bytes(32).toString('base64url');
  await engines.store.links.open(link, tokenDigest(secret));
  return secret;
}
