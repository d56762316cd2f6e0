import type { Actor } from '../actor.ts';
import type { Store } from '../store.ts';
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

/** Those of the actor's uploads with these ids that exist and are not in a drop, locked if desired. */
export function findUploads(
  { store }: { readonly store: Pick<Store, 'uploads'> },
  actor: Actor,
  ids: readonly string[],
  options?: { readonly lock: boolean },
): Promise<AccountUpload[]> {
  const drafts = ids.map((id) => uploadDraft(actor, id));
  return store.uploads.inDrafts(actor.accountId, ids, drafts, options);
}
