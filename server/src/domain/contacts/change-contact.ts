import type { Actor } from '../actor.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError, Faults } from '../exchange-error.ts';
import { requireVersion } from '../require-version.ts';
import { type ContactInput, checkContact, contactFrom, requireRoom } from './contact-input.ts';
import type { ListedContact } from './contact-store.ts';
import { compareContacts, computeVersion, recordChange } from './difference.ts';
import { emailAddress } from './email-address.ts';
import { findContact } from './read-contacts.ts';

type Needs = Pick<Engines, 'store' | 'random'>;

/** The state in which the caller expects the contact. */
export interface ContactCondition {
  readonly ifVersion: readonly string[] | undefined;
  /** Undefined: it may exist or not. */
  readonly ifExists?: boolean | undefined;
}

/**
 * Makes the account's own contact with this address what the caller says. A global contact stays as it is, and is hidden
 * by it. `isNew` if there was neither.
 */
export async function putContact(
  engines: Needs,
  actor: Actor,
  input: ContactInput,
  condition: ContactCondition,
): Promise<{ readonly contact: ListedContact; readonly isNew: boolean }> {
  const { accountId } = actor;
  const faults = new Faults();
  const email = checkContact(faults, undefined, input) as string;
  faults.throwIfAny();
  const contact = contactFrom(input, email);
  return engines.store.transaction(async (tx) => {
    await tx.accounts.lock(accountId);
    const [current] = await tx.contacts.find(accountId, [email]);
    requireCondition(current, condition);
    const result = compareContacts(current?.list === 'local' ? current : undefined, contact);
    if (result === 'created') await requireRoom(tx, accountId, 1);
    if (result !== 'unchanged') {
      await tx.contacts.put(accountId, [contact]);
      const before = current?.list === 'local' ? { before: { ...current } } : {};
      const change = {
        action: `contact.${result}`,
        details: { address: email },
        ...before,
        after: { ...contact },
      } as const;
      await recordChange(engines, tx, actor, { ...change, written: [email], removed: [] });
    }
    return { contact: { ...contact, list: 'local' }, isNew: current === undefined };
  });
}

export async function removeContact(
  engines: Needs,
  actor: Actor,
  address: string,
  { ifVersion }: ContactCondition,
): Promise<void> {
  const { accountId } = actor;
  const email = emailAddress(address);
  await engines.store.transaction(async (tx) => {
    await tx.accounts.lock(accountId);
    const contact = await findContact({ ...engines, store: tx }, actor, email);
    if (contact.list === 'global') {
      throw new ExchangeError(
        'not_found',
        'This contact is the administrator’s. Only your own can be removed. Ask the administrator to remove it.',
      );
    }
    requireVersion(ifVersion, computeVersion(contact));
    await tx.contacts.remove(accountId, [email]);
    const change = { action: 'contact.deleted', details: { address: email }, before: { ...contact } } as const;
    await recordChange(engines, tx, actor, { ...change, written: [], removed: [email] });
  });
}

/** Removes those of these contacts that are the account's own. Returns how many. */
export async function removeContacts(engines: Needs, actor: Actor, emails: readonly string[]): Promise<number> {
  const { accountId } = actor;
  return engines.store.transaction(async (tx) => {
    await tx.accounts.lock(accountId);
    const removed = await tx.contacts.known(accountId, emails);
    if (removed.length === 0) return 0;
    await tx.contacts.remove(accountId, removed);
    const details = { count: removed.length };
    await recordChange(engines, tx, actor, { action: 'contacts.deleted', details, written: [], removed });
    return removed.length;
  });
}

function requireCondition(current: ListedContact | undefined, { ifVersion, ifExists }: ContactCondition): void {
  if (current && ifExists === false) {
    throw new ExchangeError(
      'precondition_failed',
      'There is a contact with this address already. To change it, send If-Match with its ETag instead of If-None-Match.',
    );
  }
  if (!current && ifExists === true) {
    throw new ExchangeError(
      'precondition_failed',
      'There is no contact with this address any more. To create it, send the request without If-Match.',
    );
  }
  if (current) requireVersion(ifVersion, computeVersion(current));
}
