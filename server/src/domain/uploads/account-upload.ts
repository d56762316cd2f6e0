import type { Actor } from '../actor.ts';
import { accountOwner, type UploadOwner } from './owner.ts';

/** What the names of these drafts begin with. */
export const uploadDrafts = 'upload:';

/**
 * What an account uploads through /api/v1 has a draft of its own until a drop names it, so that uploads never meet
 * each other, and an unused one is removed as any unused draft is. The name has a character that no draft of the
 * machine API can have.
 */
export function draftOfUpload(id: string): string {
  return `${uploadDrafts}${id}`;
}

export function uploadOwner(actor: Actor, id: string): UploadOwner {
  return accountOwner(actor, draftOfUpload(id));
}
