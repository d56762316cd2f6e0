import type { Actor } from '../actor.ts';
import type { Engines } from '../engines.ts';
import type { QueuedEntry } from './inbox-store.ts';

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
