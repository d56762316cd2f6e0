import { limits } from '@waybill/protocol';
import { readPolicy } from '../accounts/read-policy.ts';
import { linksNotAllowed } from '../accounts/require-allowed-receivers.ts';
import type { Actor } from '../actor.ts';
import { record } from '../audit/record.ts';
import type { Engines } from '../engines.ts';
import { dropEvents, toReceiverData } from '../events/drop-events.ts';
import type { NewEvent } from '../events/event-store.ts';
import { describeConsignment } from '../evidence/submission-evidence.ts';
import { ExchangeError, Faults } from '../exchange-error.ts';
import { linkToken, tokenDigest } from '../links/link-token.ts';
import { effectiveSecondFactor } from '../links/second-factor.ts';
import { checkPhone, checkReceiver, type ReceiverInput, receiverFrom } from './receiver-input.ts';
import { revokeLink } from './revoke-drop.ts';
import type { SentId } from './sent-drop-store.ts';
import { fillInboxes } from './write-drop.ts';
import { enqueueMails, lockLive } from './write-to-receivers.ts';

type Needs = Pick<Engines, 'store' | 'dayKeys' | 'random' | 'policy' | 'sms' | 'messageLimit'>;

/** The position of a new receiver, and the token of their link. */
export interface AddedReceiver {
  readonly position: number;
  readonly email: string;
  readonly token: string;
}

/** A receiver whose link has stopped working, in whose place another is added. */
export interface ReplacedReceiver {
  readonly position: number;
  readonly email: string;
}

/**
 * Unwraps the key of its links, which may be slow. What is returned adds the receiver, in one transaction or as part of
 * the caller's. They get a mail if the other receivers do.
 */
export async function prepareReceiver(
  engines: Needs,
  actor: Actor,
  sent: SentId,
  input: ReceiverInput,
): Promise<
  (
    within: Pick<Engines, 'store'>,
    ifVersion: readonly string[] | undefined,
    inPlaceOf?: ReplacedReceiver,
  ) => Promise<AddedReceiver>
> {
  const { accountId } = actor;
  const { type, dropId } = sent;
  const drop = await engines.store.sentDrops.find(accountId, sent);
  if (!drop) throw new ExchangeError('not_found');
  const faults = new Faults();
  const policy = await readPolicy(engines, accountId);
  if (!drop.notify && policy.receiverDomains) faults.add({}, 'recipient_not_allowed', linksNotAllowed);
  const email = checkReceiver(faults, undefined, input, policy);
  faults.throwIfAny();
  const [contact] = await engines.store.contacts.find(accountId, [email as string]);
  const receiver = receiverFrom(input, email as string, contact);
  checkPhone(faults, engines, undefined, receiver, effectiveSecondFactor(engines, drop));
  faults.throwIfAny();
  const key = await engines.store.links.key({ accountId, dropId });
  const linkKey = key && (await engines.dayKeys.unwrap(key.wrapped, key.day, dropId));
  return ({ store }, ifVersion, inPlaceOf) =>
    store.transaction(async (tx) => {
      await lockLive(tx, actor, sent, ifVersion);
      if (!linkKey) throw new ExchangeError('link_ended', 'The deadline has passed. Send a new one instead.');
      const position = await tx.sentDrops.growByOne(accountId, dropId);
      if (position >= limits.receiversPerDispatch) {
        faults.add(
          {},
          'invalid_input',
          `There are at most ${limits.receiversPerDispatch} receivers. Send another one to more of them.`,
        );
      }
      if (await tx.links.ofReceiver(accountId, dropId, receiver.email)) {
        faults.add(
          { field: 'email', isRepeated: true },
          'invalid_input',
          `${receiver.email} is a receiver already. Send a reminder to write to them again.`,
        );
      }
      faults.throwIfAny();
      const token = linkToken(linkKey, position);
      await tx.drops.insertLinks(accountId, dropId, [{ position, receiver, tokenDigest: tokenDigest(token) }]);
      let received: NewEvent[] = [];
      if (type === 'downloadfiles') {
        received = await fillInboxes(engines, tx, actor, { dropId, fileCount: drop.fileCount }, [receiver.email]);
      }
      const about = toReceiverData({ position, receiver: receiver.email });
      const added = dropEvents({ accountId, ...sent }, 'receiver_added', about);
      await tx.events.append([...added, ...received]);
      await record(engines, tx, {
        accountId,
        author: actor.author,
        ...(inPlaceOf
          ? {
              action: 'drop.receiver_corrected',
              addresses: [inPlaceOf.email, receiver.email],
              details: { dropId, position, replacedPosition: inPlaceOf.position },
              before: { email: inPlaceOf.email },
              after: { email: receiver.email },
            }
          : { action: 'drop.receiver_added', addresses: [receiver.email], details: { dropId, position } }),
      });
      const { notify, hasPassphrase } = drop;
      const factor = effectiveSecondFactor(engines, drop);
      const consigned = { accountId, dropId, position, author: actor.author, receiver };
      await tx.evidence.append(describeConsignment(engines, { ...consigned, notify, factor, hasPassphrase }));
      if (notify) await enqueueMails(engines, tx, actor, dropId, 'invitation', [{ position, email: receiver.email }]);
      return { position, email: receiver.email, token };
    });
}

/** Adds all of these receivers, or none. */
export async function addReceivers(
  engines: Needs,
  actor: Actor,
  sent: SentId,
  inputs: readonly ReceiverInput[],
): Promise<void> {
  const adding: Awaited<ReturnType<typeof prepareReceiver>>[] = [];
  for (const input of inputs) adding.push(await prepareReceiver(engines, actor, sent, input));
  await engines.store.transaction(async (tx) => {
    for (const add of adding) await add({ store: tx }, undefined);
  });
}

/** Sends to another address in the place of a wrong one, whose link stops working. */
export async function correctReceiver(
  engines: Parameters<typeof prepareReceiver>[0],
  actor: Actor,
  sent: SentId,
  position: number,
  input: ReceiverInput,
): Promise<AddedReceiver> {
  const add = await prepareReceiver(engines, actor, sent, input);
  return engines.store.transaction(async (tx) => {
    await lockLive(tx, actor, sent, undefined);
    const email = await revokeLink(tx, actor, sent, position);
    return add({ store: tx }, undefined, { position, email });
  });
}
