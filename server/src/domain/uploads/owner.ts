import type { Actor } from '../actor.ts';
import type { Author } from '../audit/audit-store.ts';

/** The owner of an upload: a draft of an account, or a contact draft. */
export interface UploadOwner {
  readonly accountId: string;
  readonly draft: string;
  /** The author of the upload, for the audit. */
  readonly author: Author;
  /** Which uploads share one part of the memory, and how large that part is. */
  readonly memory: { readonly owner: string; readonly part: number };
  /**
   * Whether all bytes are reserved when they are announced, so that an upload that began can end. Those of a contact are
   * reserved as they arrive: otherwise anyone with a link could fill the account's storage without sending a byte.
   */
  readonly reservesAhead: boolean;
}

/** No account can use all the memory of a process, and no contact can use more than a quarter. */
const parts = { account: 3 / 4, link: 1 / 4 };

export function accountOwner(actor: Actor, draft: string): UploadOwner {
  const { accountId } = actor;
  const memory = { owner: accountId, part: parts.account };
  return { accountId, draft, author: actor.author, memory, reservesAhead: true };
}

export function linkOwner(accountId: string, author: Author, draft: string): UploadOwner {
  return { accountId, draft, author, memory: { owner: draft, part: parts.link }, reservesAhead: false };
}
