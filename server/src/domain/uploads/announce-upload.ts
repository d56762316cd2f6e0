import { readPolicy } from '../accounts/read-policy.ts';
import type { Actor } from '../actor.ts';
import type { Engines } from '../engines.ts';
import { uploadOwner } from './account-upload.ts';
import { type AnnouncedFile, beginUpload, claimForLater } from './begin-upload.ts';
import { requireFileSize } from './find-file-size-limit.ts';

/** An account announces a file whose bytes will follow in one or more requests. `within` may be a part of another transaction. */
export async function announceUpload(
  engines: Pick<Engines, 'store' | 'dayKeys' | 'random' | 'policy' | 'scanner'>,
  actor: Actor,
  announced: AnnouncedFile & { readonly id: string; readonly sizeBytes: number },
  within: (begin: (within: Pick<Engines, 'store'>) => Promise<void>) => Promise<void>,
): Promise<void> {
  const policy = await readPolicy(engines, actor.accountId);
  requireFileSize({ ...engines, policy }, announced.sizeBytes);
  const owner = uploadOwner(actor, announced.id);
  const claim = claimForLater(policy, announced.sizeBytes);
  await beginUpload({ ...engines, policy }, owner, announced, claim, (begin) =>
    within(({ store }) =>
      store.transaction(async (tx) => {
        await tx.drafts.lock(owner.accountId, owner.draft);
        await begin(tx);
      }),
    ),
  );
}
