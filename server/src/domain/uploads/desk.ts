import type { Author } from '../audit/audit-store.ts';
import { linkAuthor } from '../audit/author.ts';
import type { Link } from '../links/link-store.ts';
import { linkOwner, type UploadOwner } from './owner.ts';

const deskPrefix = 'link:';

/**
 * The draft with the files that a contact is preparing to send. Only this link leads to it: its name has a character
 * that no draft of the API can have.
 */
export function deskName(link: Pick<Link, 'dropId' | 'position'>): string {
  return `${deskPrefix}${link.dropId}:${link.position}`;
}

/** The contact whose desk has this name. */
export function deskAuthor(desk: string): Author {
  const [dropId = '', position] = desk.slice(deskPrefix.length).split(':');
  return linkAuthor({ dropId, position: Number(position) }, desk);
}

export function deskOwner(link: Link): UploadOwner {
  return linkOwner(link.accountId, linkAuthor(link, link.receiver), deskName(link));
}
