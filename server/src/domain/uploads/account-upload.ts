import { readPolicy } from '../accounts/read-policy.ts';
import type { Actor } from '../actor.ts';
import { record } from '../audit/record.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import { query } from '../query.ts';
import type { Store } from '../store.ts';
import { type AnnouncedFile, beginUpload, claimForLater } from './begin-upload.ts';
import { requireFileSize } from './find-file-size-limit.ts';
import { accountOwner, type UploadOwner } from './owner.ts';
import type { AccountUpload } from './upload-store.ts';

export const uploadDraftPrefix = 'upload:';

/**
 * The draft of a file that an account uploads. Each has its own until a drop names it, so that uploads are independent of
 * each other, and an unused one is removed like any unused draft. That of a person has the person in its name: the other
 * members of the account do not find it. The name has a character that no draft of the machine API can have.
 */
export function uploadDraft({ author }: Pick<Actor, 'author'>, id: string): string {
  const own = `${uploadDraftPrefix}${id}`;
  return author.kind === 'person' ? `${own} ${author.id}` : own;
}

export function uploadOwner(actor: Actor, id: string): UploadOwner {
  return accountOwner(actor, uploadDraft(actor, id));
}

/** Finds the actor's uploads with these ids that exist and are not in a drop, and locks them if desired. */
export function findUploads(
  { store }: { readonly store: Pick<Store, 'uploads'> },
  actor: Actor,
  ids: readonly string[],
  options?: { readonly lock: boolean },
): Promise<AccountUpload[]> {
  const drafts = ids.map((id) => uploadDraft(actor, id));
  return store.uploads.inDrafts(actor.accountId, ids, drafts, options);
}

/** Lists the uploads of the account's programs; those of people are theirs alone. */
export const listUploads = query((store) => store.uploads.page);

/** Removes an upload, whatever its state, unless it was sent. */
export async function removeUpload(
  engines: Pick<Engines, 'store' | 'random'>,
  { accountId, draft, author }: Pick<UploadOwner, 'accountId' | 'draft' | 'author'>,
  id: string,
): Promise<void> {
  await engines.store.transaction(async (tx) => {
    if (!(await tx.uploads.remove(accountId, draft, id))) throw new ExchangeError('not_found');
    await record(engines, tx, { accountId, author, action: 'file.deleted', details: { draft, fileId: id } });
  });
}

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
