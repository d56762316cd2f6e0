import type { Actor } from '../actor.ts';
import type { AuditAction } from '../audit/actions.ts';
import { record } from '../audit/record.ts';
import type { Engines } from '../engines.ts';
import type { NewEvent } from '../events/event-store.ts';
import type { Store } from '../store.ts';

/** So that one entry stays small. The details count all contacts. */
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
  const makeEvents = (type: 'contact.changed' | 'contact.removed', emails: readonly string[]): NewEvent[] => {
    const [email, ...others] = emails;
    if (email === undefined) return [];
    return [{ accountId, type, data: { contacts, ...(others.length === 0 ? { email } : {}) } }];
  };
  await tx.events.append([...makeEvents('contact.changed', written), ...makeEvents('contact.removed', removed)]);
}
