import { createHash } from 'node:crypto';
import type { Contact, ListedContact } from './contact-store.ts';

/** The effect of a change on a contact. */
export type ContactResult = 'created' | 'changed' | 'unchanged';

/** Returns the addresses of new and changed contacts, and of removed ones, when one list replaces another. */
export function compareLists(before: readonly Contact[], after: readonly Contact[]) {
  const gone = new Map(before.map((contact) => [contact.email, contact]));
  const written: string[] = [];
  for (const contact of after) {
    if (compareContacts(gone.get(contact.email), contact) !== 'unchanged') written.push(contact.email);
    gone.delete(contact.email);
  }
  return { written, removed: [...gone.keys()] };
}

export function compareContacts(before: Contact | undefined, after: Contact): ContactResult {
  if (before === undefined) return 'created';
  return serializeContact(before) === serializeContact(after) ? 'unchanged' : 'changed';
}

/**
 * The version of a contact is a digest of its content: it stays the same when the machine API replaces the list by one
 * with the same contact, and when a backup is restored.
 */
export function computeVersion(contact: ListedContact): string {
  return createHash('sha256')
    .update(`${contact.list} ${serializeContact(contact)}`)
    .digest('base64url')
    .slice(0, 22);
}

function serializeContact({ email, phone, language, groups, name }: Contact): string {
  return JSON.stringify([email, phone, language, groups, name]);
}
