import type { Actor, Link } from '../ports.ts';

/**
 * What a contact is preparing to send lies in a draft of the account's that only this link leads to: the name has a
 * character that no draft of the API can have.
 */
export function deskOf(link: Link): string {
  return `link:${link.dropId}:${link.position}`;
}

/** A contact acts within the account that granted access, under their own address. */
export function contactOf(link: Link): Actor {
  return { accountId: link.accountId, email: link.receiver };
}
