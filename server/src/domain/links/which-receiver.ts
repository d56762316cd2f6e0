import { linkAuthor } from '../audit/author.ts';
import { record } from '../audit/record.ts';
import { emailAddress } from '../contacts/email-address.ts';
import type { Engines } from '../engines.ts';
import { dropEvents, toReceiverData } from '../events/drop-events.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { DayWrapped } from '../keys/key-store.ts';
import { codeSeconds, isCode, issueCode, isWithinLimits } from './issue-code.ts';
import type { Link, LinkSession } from './link-store.ts';
import { codeTarget } from './second-factor.ts';

/**
 * How many wrong codes a link for all receivers takes in its life, in all browsers together: guessing succeeds with a chance
 * of one in 4,000, however many receivers there are. Then it ends, and each receiver still has a link of their own.
 */
export const maxWrongCodes = 250;

/** As many as a receiver's own link may have, of which each passed a code. */
const maxSessionsOfReceiver = 50;

type Needs = Pick<Engines, 'store' | 'random' | 'policy' | 'sms'>;

/**
 * Sends a code to this address, if it is that of a receiver. Whether it is changes neither the response nor what is done for
 * it: the same statements run, of which one more row is all the difference.
 */
export async function sendCodeTo(engines: Needs, { link, digest }: LinkSession, address: string): Promise<void> {
  if (link.kind !== 'named')
    throw new ExchangeError('not_found', 'This link is a receiver’s own. Send its code instead, if one is required.');
  const email = emailAddress(address);
  const { accountId, dropId } = link;
  await engines.store.transaction(async (tx) => {
    const found = await tx.links.ofReceiver(accountId, dropId, email);
    const receiver = found && !found.ended && !found.revoked ? found : undefined;
    // For nobody, the limits of the shared link are looked up instead, which has no codes of its own.
    const limited = receiver ?? link;
    await tx.links.lock(limited);
    const mayHaveCode = await isWithinLimits(engines, tx, limited, { channel: 'mail', to: email });
    const id = engines.random.uuid();
    const isSent = mayHaveCode && receiver !== undefined;
    await tx.sharedLinks.setCodeFor(digest, isSent ? receiver.position : null, id, codeSeconds);
    if (!isSent) return;
    await tx.outbox.enqueue(accountId, {
      id,
      kind: 'code',
      channel: 'mail',
      dropId,
      position: receiver.position,
      receiver: receiver.receiver,
    });
  });
}

/** Makes the session the receiver's, if this is the code that was sent to them. A code that was sent to nobody is none. */
export async function passAsReceiver(
  engines: Needs & Pick<Engines, 'dayKeys'>,
  { link, digest }: LinkSession,
  { codeId, typed }: { readonly codeId: string; readonly typed: string },
  key: DayWrapped,
  address: string | undefined,
): Promise<boolean> {
  const { store } = engines;
  const { accountId, dropId } = link;
  // Counted before it is compared: many tries at once are as many.
  if (!(await store.sharedLinks.countWrongCode(link, maxWrongCodes))) return false;
  const linkKey = await engines.dayKeys.unwrap(key.wrapped, key.day, dropId);
  const isRight = isCode(linkKey, codeId, typed);
  const position = await store.sharedLinks.findAsked(digest);
  if (!isRight || position === null) return false;
  return store.transaction(async (tx) => {
    const receiver = await tx.links.ofPosition(accountId, dropId, position);
    if (!receiver || receiver.ended || receiver.revoked) return false;
    const opened = await tx.sharedLinks.become(digest, receiver, codeId, maxSessionsOfReceiver);
    if (!opened) return false;
    await tx.sharedLinks.uncountWrongCode(link);
    await recordOpening(engines, tx, receiver, opened.isFirst, address);
    // The rule may ask for a code by SMS besides.
    if (codeTarget(engines, receiver)?.channel === 'sms') await issueCode({ ...engines, store: tx }, receiver, digest);
    return true;
  });
}

/** The same as of a link of their own, whose code came by mail. */
async function recordOpening(
  engines: Pick<Engines, 'random'>,
  tx: Engines['store'],
  receiver: Link,
  isFirst: boolean,
  address: string | undefined,
): Promise<void> {
  const { accountId, dropId, position } = receiver;
  if (isFirst) await tx.events.append(dropEvents(receiver, 'opened', toReceiverData(receiver)));
  await tx.evidence.append([
    { accountId, dropId, position, kind: 'link.opened', data: {} },
    { accountId, dropId, position, kind: 'code.entered', data: { channel: 'mail' } },
  ]);
  const entry = { accountId, author: linkAuthor(receiver, address), addresses: [receiver.receiver] };
  const details = { dropId, position };
  await record(engines, tx, { ...entry, action: 'link.opened', details });
  await record(engines, tx, { ...entry, action: 'link.code_entered', details: { ...details, channel: 'mail' } });
}
