import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Engines } from '../engines.ts';
import type { Store } from '../store.ts';
import type { Link } from './link-store.ts';
import { type CodeTarget, codeTarget } from './second-factor.ts';

export const codeMinutes = 10;
export const codeSeconds = codeMinutes * 60;

/** Whether this could be a code at all: six digits, with spaces anywhere. */
export function isCodeShaped(typed: string): boolean {
  return /^\d{6}$/.test(withoutSpaces(typed));
}

export function withoutSpaces(typed: string): string {
  return typed.replaceAll(/\s/g, '');
}

/**
 * Six digits, derived from the drop's link key and the id of the message that carries them: the database alone does not
 * reveal a code, and the worker that sends one need not be told it.
 */
export function deriveCode(linkKey: Buffer, codeId: string): string {
  const number = createHmac('sha256', linkKey).update(`code:${codeId}`).digest().readBigUInt64BE() % 1_000_000n;
  return number.toString().padStart(6, '0');
}

export function isCode(linkKey: Buffer, codeId: string, typed: string): boolean {
  const right = Buffer.from(deriveCode(linkKey, codeId));
  const given = Buffer.from(withoutSpaces(typed));
  return given.length === right.length && timingSafeEqual(given, right);
}

const maxCodesPerHour = 5;
/** Five tries each: guessing at all codes of a link succeeds with a chance of one in 4,000. */
const maxCodes = 50;
const hourSeconds = 60 * 60;
/** Codes that an account may send to a number or address although others have used up its limit. */
const codesPerAccount = 2;

type Needs = Pick<Engines, 'policy' | 'sms'>;

/** Whether another code may be sent for this link. */
export async function mayIssueCode(engines: Needs & Pick<Engines, 'store'>, link: Link): Promise<boolean> {
  const target = codeTarget(engines, link);
  return target === undefined || isWithinLimits(engines, engines.store, link, target);
}

/**
 * Sends a code for this browser, if the link requires one and neither the link nor the number or address has had too
 * many. The link is locked: the limits are exact however many browsers ask at once.
 */
export async function issueCode(
  engines: Needs & Pick<Engines, 'store' | 'random'>,
  link: Link,
  sessionDigest: Buffer,
): Promise<'sent' | 'not_needed' | 'too_many_codes'> {
  const target = codeTarget(engines, link);
  if (!target) return 'not_needed';
  return engines.store.transaction(async (tx) => {
    await tx.links.lock(link);
    if (!(await isWithinLimits(engines, tx, link, target))) return 'too_many_codes';
    const id = engines.random.uuid();
    await tx.outbox.enqueue(link.accountId, {
      id,
      kind: 'code',
      channel: target.channel,
      dropId: link.dropId,
      position: link.position,
      receiver: target.to,
    });
    await tx.links.setCode(sessionDigest, id, codeSeconds);
    return 'sent';
  });
}

/**
 * Prevents flooding a phone or mailbox by opening many links, or one link many times. No account gets more than half of
 * what a number or address is sent, and what others have used up does not keep an account from its first codes.
 */
export async function isWithinLimits(
  { policy }: Needs,
  store: Pick<Store, 'links' | 'outbox'>,
  link: Link,
  { to }: CodeTarget,
): Promise<boolean> {
  const { ever, recently } = await store.links.codesSent(link, hourSeconds);
  if (ever >= maxCodes || recently >= maxCodesPerHour) return false;
  const { all, own } = await store.outbox.countCodes(to, link.accountId, hourSeconds);
  const max = policy.maxCodesPerReceiver;
  if (own >= Math.ceil(max / 2)) return false;
  return all < max || (own < codesPerAccount && all < 2 * max);
}
