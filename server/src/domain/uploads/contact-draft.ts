import type { Author } from '../audit/audit-store.ts';
import { linkAuthor } from '../audit/author.ts';
import type { Engines } from '../engines.ts';
import type { Link } from '../links/link-store.ts';
import { linkOwner, type UploadOwner } from './owner.ts';

const contactDraftPrefix = 'link:';

/**
 * The draft with the files that a contact is preparing to send. Only this link leads to it: its name has a character
 * that no draft of the API can have.
 */
export function contactDraftName(link: Pick<Link, 'dropId' | 'position'>): string {
  return `${contactDraftPrefix}${link.dropId}:${link.position}`;
}

/** The contact whose draft has this name. */
export function contactDraftAuthor(draft: string): Author {
  const [dropId = '', position] = draft.slice(contactDraftPrefix.length).split(':');
  // The check runs later, when nobody knows where they are.
  return linkAuthor({ dropId, position: Number(position) }, undefined, draft);
}

export function contactDraftOwner(link: Link, address?: string): UploadOwner {
  return linkOwner(link.accountId, linkAuthor(link, address, link.receiver), contactDraftName(link));
}

/** Finds these files of the contact draft. */
export const findDraftUploads = ({ store }: Pick<Engines, 'store'>, link: Link, ids: readonly string[]) =>
  store.uploads.inDrafts(link.accountId, ids, [contactDraftName(link)]);

export const listDraftFiles = ({ store }: Pick<Engines, 'store'>, link: Link) =>
  store.uploads.listDraftFiles(link.accountId, contactDraftName(link));
