import { limits } from '@waybill/protocol';
import type { Actor } from '../actor.ts';
import { record } from '../audit/record.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { Store } from '../store.ts';
import { findEntry } from './find-entry.ts';
import type { LeasedEntry, QueuedEntry } from './inbox-store.ts';

type Needs = Pick<Engines, 'store'>;
type Recording = Pick<Engines, 'store' | 'random'>;

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
export async function acknowledgeEntry(engines: Recording, actor: Actor, entry: LeasedEntry): Promise<void> {
  await engines.store.transaction(async (tx) => {
    const isHeld = await tx.inbox.acknowledge(actor.accountId, entry);
    const { dropId } = await foundAfter({ store: tx }, actor, entry.id, isHeld, 'lease_not_held');
    await recordDecision(engines, tx, actor, 'inbox.done', { inboxId: entry.id, dropId });
  });
}

/** Without a delay of the caller, an entry waits for longer after each attempt, so that it is not parked within seconds. */
export async function giveEntryBack(
  engines: Needs,
  actor: Actor,
  entry: LeasedEntry,
  delaySeconds: number | undefined,
): Promise<QueuedEntry> {
  const delay = delaySeconds ?? chooseDelaySeconds((await findEntry(engines, actor, entry.id)).attempts);
  const isHeld = await engines.store.inbox.giveBack(actor.accountId, entry, delay);
  return foundAfter(engines, actor, entry.id, isHeld, 'lease_not_held');
}

function chooseDelaySeconds(attempts: number): number {
  return Math.min(limits.maxNackBackOffSeconds, limits.minNackBackOffSeconds * 2 ** Math.max(0, attempts - 1));
}

export async function releaseEntry(engines: Recording, actor: Actor, id: string): Promise<QueuedEntry> {
  return engines.store.transaction(async (tx) => {
    const isReleased = await tx.inbox.release(actor.accountId, id);
    const entry = await foundAfter({ store: tx }, actor, id, isReleased, 'not_parked');
    await recordDecision(engines, tx, actor, 'inbox.released', { inboxId: id, dropId: entry.dropId });
    return entry;
  });
}

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
    await recordDecision(engines, tx, actor, action, { inboxId: id, dropId });
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

async function recordDecision(
  engines: Pick<Engines, 'random'>,
  tx: Store,
  { accountId, author }: Actor,
  action: 'inbox.done' | 'inbox.reopened' | 'inbox.released',
  details: { readonly inboxId: string; readonly dropId: string },
): Promise<void> {
  await record(engines, tx, { accountId, author, action, details });
}

export interface ClaimedEntries {
  readonly leaseId: string;
  readonly entries: readonly QueuedEntry[];
}

/**
 * Leases entries to the caller: until the lease ends, no one else gets them. One lease id for all of them, because a
 * lease is always named together with its entry.
 */
export async function claimEntries(
  { store, random, policy }: Pick<Engines, 'store' | 'random' | 'policy'>,
  actor: Actor,
  wanted: { readonly maxEntries: number; readonly leaseSeconds: number },
): Promise<ClaimedEntries> {
  const leaseId = random.uuid();
  const claim = { ...wanted, leaseId, maxAttempts: policy.inboxAttempts };
  return { leaseId, entries: await store.inbox.claim(actor.accountId, claim) };
}
