import { readPolicy } from '../accounts/read-policy.ts';
import type { Actor } from '../actor.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { Policy } from '../policy.ts';
import type { Scanner } from '../ports/scanner.ts';
import type { Store } from '../store.ts';
import { uploadOwner } from './account-upload.ts';
import { type AnnouncedFile, beginUpload, claimForLater } from './begin-upload.ts';

/** An account announces a file whose bytes will follow in one or more requests. `within` provides the transaction. */
export async function announceUpload(
  engines: Pick<Engines, 'store' | 'dayKeys' | 'random' | 'policy' | 'scanner'>,
  actor: Actor,
  announced: AnnouncedFile & { readonly id: string; readonly sizeBytes: number },
  within: (begin: (tx: Store) => Promise<void>) => Promise<void>,
): Promise<void> {
  const policy = await readPolicy(engines, actor.accountId);
  requireScannable(policy, engines.scanner, announced.sizeBytes);
  const owner = uploadOwner(actor, announced.id);
  const claim = claimForLater(policy, announced.sizeBytes);
  await beginUpload({ ...engines, policy }, owner, announced, claim, (begin) =>
    within(async (tx) => {
      await tx.drafts.lock(owner.accountId, owner.draft);
      await begin(tx);
    }),
  );
}

/** Checked before the first byte, so that nobody sends a file for hours that will be refused. */
export function requireScannable(policy: Pick<Policy, 'scan'>, scanner: Pick<Scanner, 'maxBytes'>, sizeBytes: number) {
  if (policy.scan === 'required' && sizeBytes > scanner.maxBytes) throw new ExchangeError('too_large_to_scan');
}
