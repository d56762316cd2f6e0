import type { Author } from '../audit/audit-store.ts';
import { linkAuthor } from '../audit/author.ts';
import type { Link } from '../links/link-store.ts';
import { linkOwner, type UploadOwner } from './owner.ts';

const desks = 'link:';

/**
 * What a contact is preparing to send is in a draft of the account that only this link leads to: the draft's name has a
 * character that no draft of the API can have.
 */
export function deskOf(link: Pick<Link, 'dropId' | 'position'>): string {
  return `${desks}${link.dropId}:${link.position}`;
}

/** The contact whose desk has this name. */
export function authorOfDesk(desk: string): Author {
  const [dropId = '', position] = desk.slice(desks.length).split(':');
  return linkAuthor({ dropId, position: Number(position) }, desk);
}

export function deskOwner(link: Link): UploadOwner {
  return linkOwner(link.accountId, linkAuthor(link, link.receiver), deskOf(link));
}
