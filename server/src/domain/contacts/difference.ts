import { createHash } from 'node:crypto';
import type { Actor } from '../actor.ts';
import type { AuditAction } from '../audit/actions.ts';
import { record } from '../audit/record.ts';
import type { Engines } from '../engines.ts';
import type { NewEvent } from '../events/event-store.ts';
import type { Store } from '../store.ts';
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

/** Keeps one entry small. The details count all contacts. */
const maxAddresses = 1_000;

/**
 * Writes the audit entry and the events of a change of the account's contacts, inside its transaction. However many
 * contacts have changed, there is one event of each type.
 */
export async function recordChange(
  engines: Pick<Engines, 'random'>,
  tx: Store,
  actor: Actor,
  change: {
    readonly action: AuditAction;
    readonly details?: Record<string, unknown>;
    readonly before?: Readonly<Record<string, unknown>>;
    readonly after?: Readonly<Record<string, unknown>>;
    /** The addresses of those that are new or not what they were. */
    readonly written: readonly string[];
    readonly removed: readonly string[];
  },
): Promise<void> {
  const { accountId } = actor;
  const { written, removed, ...recorded } = change;
  const addresses = [...written, ...removed].slice(0, maxAddresses);
  await record(engines, tx, { accountId, author: actor.author, addresses, ...recorded });
  const contacts = await tx.contacts.count(accountId);
  const makeEvents = (type: 'contact.changed' | 'contact.deleted', emails: readonly string[]): NewEvent[] => {
    const [email, ...others] = emails;
    if (email === undefined) return [];
    return [{ accountId, type, data: { contacts, ...(others.length === 0 ? { email } : {}) } }];
  };
  await tx.events.append([...makeEvents('contact.changed', written), ...makeEvents('contact.deleted', removed)]);
}
