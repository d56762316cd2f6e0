import type { Engines, Link, Store } from '../ports.ts';
import { codeSeconds } from './code.ts';
import { codeTarget } from './second-factor.ts';

const mostCodesAnHour = 5;
/** Five tries each: whoever guesses on all of a link's days stays at one chance in 4,000. */
const mostCodes = 50;
const hourSeconds = 60 * 60;

/** Whether another code may be sent for this link. */
export async function mayIssueCode(store: Pick<Store, 'links'>, link: Link): Promise<boolean> {
  const { ever, recently } = await store.links.codesSent(link, hourSeconds);
  return ever < mostCodes && recently < mostCodesAnHour;
}

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
  await tx.links.lock(link);
  if (!(await mayIssueCode(tx, link))) return 'too_many_codes';
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
