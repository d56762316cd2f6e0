import { countDispatch } from '../accounts/count-dispatch.ts';
import { readPolicy } from '../accounts/read-policy.ts';
import { requireWithinLimits } from '../accounts/require-allowed-receivers.ts';
import type { Actor } from '../actor.ts';
import { record } from '../audit/record.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import { requireVersion } from '../require-version.ts';
import type { Store } from '../store.ts';
import type { DropDeadline } from './drop-store.ts';
import { requireLiveDrop } from './extend-drop.ts';
import type { SentId, SentReceiver } from './sent-drop-store.ts';

type Needs = Pick<Engines, 'store' | 'random' | 'policy' | 'messageLimit'>;

/** Reminds the receivers who can be reached and have not fetched everything, or sent anything. Returns how many. */
export async function remindReceivers(
  engines: Needs,
  actor: Actor,
  sent: SentId,
  ifVersion: readonly string[] | undefined,
): Promise<number> {
  const { dropId } = sent;
  return engines.store.transaction(async (tx) => {
    requireMails(await lockLive(tx, actor, sent, ifVersion));
    const receivers = await tx.sentDrops.receivers(actor.accountId, dropId);
    const due = receivers.filter(
      ({ completedAt, undeliverableAt, revokedAt }) => !completedAt && !undeliverableAt && !revokedAt,
    );
    await enqueueMails(engines, tx, actor, dropId, 'reminder', due);
    await recordMails(engines, tx, actor, dropId, 'drop.reminded', due);
    return due.length;
  });
}

/**
 * Sends a receiver the invitation again, even if mails did not reach them before, or without a position everyone who has
 * not fetched everything. Returns to how many.
 */
export async function resendInvitation(engines: Needs, actor: Actor, sent: SentId, position?: number): Promise<number> {
  const { dropId } = sent;
  return engines.store.transaction(async (tx) => {
    requireMails(await lockLive(tx, actor, sent, undefined));
    const found = await tx.sentDrops.receivers(actor.accountId, dropId, position);
    if (position !== undefined) {
      if (!found[0])
        throw new ExchangeError('not_found', 'There is no such receiver. Check the drop’s list of receivers.');
      if (found[0].revokedAt)
        throw new ExchangeError('link_revoked', 'The receiver’s link was revoked. Send them a new one instead.');
    }
    const due =
      position === undefined ? found.filter(({ completedAt, revokedAt }) => !completedAt && !revokedAt) : found;
    for (const { position: at, undeliverableReason } of due) {
      const link = { accountId: actor.accountId, dropId, position: at };
      if (undeliverableReason !== null) await tx.links.markReachable(link, undeliverableReason);
    }
    await enqueueMails(engines, tx, actor, dropId, 'invitation', due);
    await recordMails(engines, tx, actor, dropId, 'drop.resent', due);
    return due.length;
  });
}

/** Until the transaction ends. Throws if it has ended, or is not of an allowed version. */
export async function lockLive(
  tx: Store,
  actor: Actor,
  { type, dropId }: SentId,
  ifVersion: readonly string[] | undefined,
): Promise<DropDeadline> {
  const drop = await tx.drops.lockDeadline(actor.accountId, dropId);
  if (drop?.type !== type) throw new ExchangeError('not_found');
  requireVersion(ifVersion, drop.version);
  requireLiveDrop(drop);
  return drop;
}

/** A sender who passes on the links asked for no mails, of any kind. */
function requireMails({ notify }: Pick<DropDeadline, 'notify'>): void {
  if (notify) return;
  const message = 'Its receivers get no mails, as it was sent with "notify": false. Write to them yourself.';
  throw new ExchangeError('invalid_input', message);
}

/** Counted against the limits of the account, so it is the last part of its transaction. */
export async function enqueueMails(
  engines: Needs,
  tx: Store,
  actor: Actor,
  dropId: string,
  kind: 'invitation' | 'reminder',
  receivers: readonly Pick<SentReceiver, 'position' | 'email'>[],
): Promise<void> {
  if (receivers.length === 0) return;
  const { accountId } = actor;
  const policy = await readPolicy({ ...engines, store: tx }, accountId);
  await requireWithinLimits(
    engines,
    policy,
    accountId,
    receivers.map((receiver) => receiver.email),
  );
  const messages = receivers.map(({ position }) => ({ id: engines.random.uuid(), position }));
  await tx.outbox.writeToReceivers(accountId, dropId, kind, messages);
  await countDispatch(tx, policy, accountId, { drops: 0, mails: receivers.length });
}

async function recordMails(
  engines: Pick<Needs, 'random'>,
  tx: Store,
  { accountId, author }: Actor,
  dropId: string,
  action: 'drop.reminded' | 'drop.resent',
  receivers: readonly Pick<SentReceiver, 'position' | 'email'>[],
): Promise<void> {
  const [first, ...others] = receivers;
  if (!first) return;
  const position = others.length === 0 ? { position: first.position } : {};
  await record(engines, tx, {
    accountId,
    author,
    action,
    addresses: receivers.map(({ email }) => email),
    details: { dropId, receivers: receivers.length, ...position },
  });
}
