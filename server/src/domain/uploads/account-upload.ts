import type { Actor } from '../actor.ts';
import { accountOwner, type UploadOwner } from './owner.ts';

export const uploadDraftPrefix = 'upload:';

/**
 * The draft of a file that an account uploads through /api/v1. Each has its own until a drop names it, so that uploads
 * are independent of each other, and an unused one is removed like any unused draft. The name has a character that no
 * draft of the machine API can have.
 */
export function uploadDraft(id: string): string {
  return `${uploadDraftPrefix}${id}`;
}

export function uploadOwner(actor: Actor, id: string): UploadOwner {
  return accountOwner(actor, uploadDraft(id));
}
