import { limits } from '@waybill/protocol';
import type { Actor } from '../actor.ts';
import type { ByCommand } from '../audit/audit-store.ts';
import { record, serverAccountId } from '../audit/record.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import { inTurns } from '../flow/in-turns.ts';
import { requireVersion } from '../require-version.ts';
import { contactFromInput } from './contact-from-input.ts';
import type { ContactInput } from './contact-input.ts';
import type { Contact } from './contact-store.ts';
import { compareLists, recordChange } from './difference.ts';

/**
 * docs/api.md#3-add-contacts: the array replaces the local contacts, `[]` clears them, and adding a contact that
 * already exists fails. Both apply: an address that is already in the list, or twice in the array, fails the whole
 * request.
 *
 * Two extensions make it possible to change one contact without losing the list in between: `lenient` keeps or updates
 * known addresses, and `ifVersion` rejects the request when the lists have changed in the meantime.
 */
export async function replaceContacts(
  engines: Pick<Engines, 'store' | 'random'>,
  actor: Actor,
  input: { contacts: readonly ContactInput[]; lenient: boolean; ifVersion?: readonly string[] | undefined },
): Promise<{ version: string }> {
  const contacts: Contact[] = [];
  for await (const contact of inTurns(input.contacts)) contacts.push(contactFromInput(contact));
  const emails = contacts.map((contact) => contact.email);
  if (new Set(emails).size !== emails.length) throw new ExchangeError('contact_exists');

  return engines.store.transaction(async (tx) => {
    await tx.accounts.lock(actor.accountId);
    if (input.ifVersion) requireVersion(input.ifVersion, await tx.contacts.version(actor.accountId));
    if (!input.lenient && (await tx.contacts.known(actor.accountId, emails)).length > 0) {
      throw new ExchangeError('contact_exists');
    }
    const before = await tx.contacts.replace(actor.accountId, contacts);
    await recordChange(engines, tx, actor, {
      action: 'contacts.replaced',
      details: { count: contacts.length },
      ...compareLists(before, contacts),
    });
    return { version: await tx.contacts.version(actor.accountId) };
  });
}

/** The administrator's list, which every account can see and none can change. */
export async function replaceGlobalContacts(
  engines: Pick<Engines, 'store' | 'random'> & ByCommand,
  input: readonly ContactInput[],
): Promise<number> {
  if (input.length > limits.contactsPerAccount) throw new ExchangeError('too_large');
  const contacts = input.map(contactFromInput);
  const seen = new Set<string>();
  for (const { email } of contacts) {
    if (seen.has(email)) throw new ExchangeError('contact_exists', `${email} appears twice in the list.`);
    seen.add(email);
  }
  await engines.store.transaction(async (tx) => {
    await tx.contacts.replaceGlobal(contacts);
    await record(engines, tx, {
      accountId: serverAccountId,
      author: engines.administrator,
      action: 'global_contacts.replaced',
      details: { count: contacts.length },
    });
  });
  return contacts.length;
}
