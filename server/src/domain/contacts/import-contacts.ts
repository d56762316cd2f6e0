import type { Actor } from '../actor.ts';
import type { Engines } from '../engines.ts';
import { Faults } from '../faults.ts';
import type { Store } from '../store.ts';
import type { Contact } from './contact.ts';
import { type ContactInput, checkContact, contactFrom, requireRoom } from './contact-input.ts';
import { type ContactResult, compareContacts } from './difference.ts';
import { recordChange } from './record-change.ts';

/** The effect of an import on one contact, or the effect that it would have. */
export interface ImportStep {
  readonly contact: Contact;
  readonly result: ContactResult;
}

/**
 * Adds contacts and changes those that the account has: what the caller leaves out stays as it is, and nothing is
 * removed. Everything happens or nothing does.
 */
export async function importContacts(
  engines: Pick<Engines, 'store' | 'random'>,
  actor: Actor,
  inputs: readonly ContactInput[],
): Promise<ImportStep[]> {
  return engines.store.transaction(async (tx) => {
    await tx.accounts.lock(actor.accountId);
    const steps = await planImport(tx, actor, inputs);
    const contacts = steps.filter(({ result }) => result !== 'unchanged').map(({ contact }) => contact);
    if (contacts.length === 0) return steps;
    await tx.contacts.put(actor.accountId, contacts);
    await recordChange(engines, tx, actor, {
      action: 'contacts.imported',
      details: { count: contacts.length },
      written: contacts.map(({ email }) => email),
      removed: [],
    });
    return steps;
  });
}

/** In the order of the request. Looks at everything before it refuses anything: the error names each fault. */
export async function planImport(
  store: Store,
  { accountId }: Actor,
  inputs: readonly ContactInput[],
): Promise<ImportStep[]> {
  const faults = new Faults();
  const seen = new Map<string, ContactInput>();
  for (const [index, input] of inputs.entries()) {
    const pointer = `/contacts/${index}`;
    const email = checkContact(faults, pointer, input);
    if (email === undefined) continue;
    if (seen.has(email)) faults.add(`${pointer}/email`, 'invalid_input', `${email} is in the list already.`);
    seen.set(email, input);
  }
  faults.throwIfAny();
  const found = await store.contacts.find(accountId, [...seen.keys()]);
  const before = new Map(found.filter(({ list }) => list === 'local').map((contact) => [contact.email, contact]));
  const steps = [...seen].map(([email, input]) => {
    const contact = contactFrom(input, email, before.get(email));
    return { contact, result: compareContacts(before.get(email), contact) };
  });
  await requireRoom(store, accountId, steps.filter(({ result }) => result === 'created').length);
  return steps;
}
