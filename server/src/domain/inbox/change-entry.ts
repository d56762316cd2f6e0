import type { Actor } from '../actor.ts';
import { record } from '../audit/record.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import { findEntry } from './find-entry.ts';
import type { LeasedEntry, QueuedEntry } from './inbox-store.ts';

type Needs = Pick<Engines, 'store'>;

export async function renewLease(
  engines: Needs,
  actor: Actor,
  entry: LeasedEntry,
  leaseSeconds: number,
): Promise<QueuedEntry> {
  const isHeld = await engines.store.inbox.renew(actor.accountId, entry, leaseSeconds);
  return foundAfter(engines, actor, entry.id, isHeld, 'lease_not_held');
}

/**
 * The entry is done, and is not claimed again. This says nothing about deliveries: they are recorded when bytes are
 * sent.
 */
export async function acknowledgeEntry(engines: Needs, actor: Actor, entry: LeasedEntry): Promise<void> {
  const isHeld = await engines.store.inbox.acknowledge(actor.accountId, entry);
  await foundAfter(engines, actor, entry.id, isHeld, 'lease_not_held');
}

export async function giveEntryBack(
  engines: Needs,
  actor: Actor,
  entry: LeasedEntry,
  delaySeconds: number,
): Promise<QueuedEntry> {
  const isHeld = await engines.store.inbox.giveBack(actor.accountId, entry, delaySeconds);
  return foundAfter(engines, actor, entry.id, isHeld, 'lease_not_held');
}

export async function releaseEntry(engines: Needs, actor: Actor, id: string): Promise<QueuedEntry> {
  const isReleased = await engines.store.inbox.release(actor.accountId, id);
  return foundAfter(engines, actor, id, isReleased, 'not_parked');
}

type Recording = Pick<Engines, 'store' | 'random'>;

/** A person's decision that the entry is dealt with, even while a program works on it. */
export async function finishEntry(engines: Recording, actor: Actor, id: string): Promise<void> {
  await decide(engines, actor, id, 'finish', 'inbox.done');
}

/** A person's decision that the entry is to be dealt with again. */
export async function reopenEntry(engines: Recording, actor: Actor, id: string): Promise<void> {
  await decide(engines, actor, id, 'reopen', 'inbox.reopened');
}

/** Somebody else may have decided the same a moment before: that is no fault, and is not recorded again. */
async function decide(
  engines: Recording,
  actor: Actor,
  id: string,
  change: 'finish' | 'reopen',
  action: 'inbox.done' | 'inbox.reopened',
): Promise<void> {
  await engines.store.transaction(async (tx) => {
    const { dropId } = await findEntry({ store: tx }, actor, id);
    if (!(await tx.inbox[change](actor.accountId, id))) return;
    const { accountId, author } = actor;
    await record(engines, tx, { accountId, author, action, details: { inboxId: id, dropId } });
  });
}

/** A missing entry is reported before any other fault. */
async function foundAfter(
  engines: Needs,
  actor: Actor,
  id: string,
  isChanged: boolean,
  code: 'lease_not_held' | 'not_parked',
): Promise<QueuedEntry> {
  const entry = await findEntry(engines, actor, id);
  if (!isChanged) throw new ExchangeError(code);
  return entry;
}
