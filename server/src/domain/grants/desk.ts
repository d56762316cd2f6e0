import type { Actor, Link } from '../ports/index.ts';
import { linkOwner, type UploadOwner } from '../uploads/owner.ts';

/**
 * What a contact is preparing to send is in a draft of the account that only this link leads to: the draft's name has a
 * character that no draft of the API can have.
 */
export function deskOf(link: Pick<Link, 'dropId' | 'position'>): string {
  return `link:${link.dropId}:${link.position}`;
}

/** A contact acts within the account that granted access, under their own address. */
export function contactOf(link: Link): Actor {
  return { accountId: link.accountId, email: link.receiver };
}

export function deskOwner(link: Link): UploadOwner {
  return linkOwner(contactOf(link), deskOf(link));
}
