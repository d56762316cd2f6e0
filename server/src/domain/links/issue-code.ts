import type { Engines, Link, Store } from '../ports.ts';
import { codeSeconds } from './code.ts';
import { codeTarget } from './second-factor.ts';

const mostCodes = 5;
const withinSeconds = 60 * 60;

/**
 * Sends a code for this browser, if the link asks for one and has not had too many. In the caller's transaction: the
 * limit is exact however many browsers ask at once.
 */
export async function issueCode(
  engines: Pick<Engines, 'random' | 'policy' | 'sms'>,
  tx: Store,
  link: Link,
  sessionDigest: Buffer,
): Promise<'sent' | 'not_needed' | 'too_many_codes'> {
  const target = codeTarget(engines, link);
  if (!target) return 'not_needed';
  if ((await tx.links.lockCodes(link, withinSeconds)) >= mostCodes) return 'too_many_codes';
  const id = engines.random.uuid();
  await tx.outbox.enqueue(link.accountId, {
    id,
    kind: 'code',
    channel: target.channel,
    dropId: link.dropId,
    position: link.position,
    recipient: target.to,
  });
  await tx.links.setCode(sessionDigest, id, codeSeconds);
  return 'sent';
}
