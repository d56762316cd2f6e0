import { tokenDigest } from '../drops/link-token.ts';
import type { Engines, Link } from '../ports/index.ts';
import { issueCode } from './issue-code.ts';

/** How long a browser's cookie is known after the link's deadline, so that its page can say that the link has ended. */
const keepSessionSeconds = 30 * 24 * 60 * 60;
/**
 * As many as a link may have codes in its life, so that no browser that passed a code loses its session to one that did
 * not. A person has a handful of browsers; whoever opens the link again and again ends only sessions of the same link,
 * which the link opens again. A limit of attempts would keep the receiver out instead.
 */
export const maxSessions = 50;

/**
 * A person's click swaps the link for a secret of this browser's own, and sends a code where one is asked for. Answers
 * the secret; only its digest is kept.
 */
export async function openLink(
  engines: Pick<Engines, 'store' | 'random' | 'policy' | 'sms'>,
  link: Link,
): Promise<string> {
  const secret = engines.random.bytes(32).toString('base64url');
  const digest = tokenDigest(secret);
  await engines.store.transaction(async (tx) => {
    await tx.links.open(link, digest, keepSessionSeconds, maxSessions);
    await issueCode(engines, tx, link, digest);
  });
  return secret;
}
