import { limits } from '@waybill/protocol';
import type { Actor } from '../actor.ts';
import type { Engines } from '../engines.ts';
import { Faults } from '../exchange-error.ts';
import { inTurns } from '../flow/in-turns.ts';
import { type ContactInput, checkContact, contactFrom, requireRoom } from './contact-input.ts';
import type { Contact } from './contact-store.ts';
import { type ContactResult, compareContacts, recordChange } from './difference.ts';

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
  action: 'contacts.imported' | 'contacts.grouped' = 'contacts.imported',
): Promise<ImportStep[]> {
  return engines.store.transaction(async (tx) => {
    await tx.accounts.lock(actor.accountId);
    const steps = await planImport({ store: tx }, actor, inputs);
    const contacts = steps.filter(({ result }) => result !== 'unchanged').map(({ contact }) => contact);
    if (contacts.length === 0) return steps;
    await tx.contacts.put(actor.accountId, contacts);
    await recordChange(engines, tx, actor, {
      action,
      details: { count: contacts.length },
      written: contacts.map(({ email }) => email),
      removed: [],
    });
    return steps;
  });
}

/** In the order of the request. Looks at everything before it refuses anything: the error names each fault. */
export async function planImport(
  { store }: Pick<Engines, 'store'>,
  { accountId }: Actor,
  inputs: readonly ContactInput[],
): Promise<ImportStep[]> {
  const faults = new Faults();
  const seen = new Map<string, ContactInput>();
  for await (const [index, input] of inTurns(inputs.entries())) {
    const entry = { of: 'contacts', index } as const;
    const email = checkContact(faults, entry, input);
    if (email === undefined) continue;
    if (seen.has(email)) {
      faults.add(
        { entry, field: 'email', isRepeated: true },
        'invalid_input',
        `${email} is in the list already. Remove one of the two.`,
      );
    }
    seen.set(email, input);
  }
  faults.throwIfAny();
  const found = await store.contacts.find(accountId, [...seen.keys()]);
  const before = new Map(found.filter(({ list }) => list === 'local').map((contact) => [contact.email, contact]));
  const steps: ImportStep[] = [];
  for await (const [email, input] of inTurns(seen)) {
    const contact = contactFrom(input, email, before.get(email));
    steps.push({ contact, result: compareContacts(before.get(email), contact) });
  }
  await requireRoom(store, accountId, steps.filter(({ result }) => result === 'created').length);
  return steps;
}

/** Why a contact cannot be imported. */
export type ImportFault = 'noAddress' | 'address' | 'twice' | 'phone' | 'language' | 'tooLong';

/** A contact that a person wants to import, and the effect that it would have. */
export interface ReviewedContact {
  readonly input: ContactInput;
  readonly result: ContactResult | ImportFault;
}

/** Says of each contact what an import would do with it. Those that are refused can be left out. */
export async function reviewImport(
  engines: Pick<Engines, 'store'>,
  actor: Actor,
  inputs: readonly ContactInput[],
): Promise<ReviewedContact[]> {
  const seen = new Set<string>();
  const faults: (ImportFault | undefined)[] = [];
  for await (const input of inTurns(inputs)) faults.push(findImportFault(input, seen));
  const steps = await planImport(
    engines,
    actor,
    inputs.filter((_, index) => faults[index] === undefined),
  );
  const results = steps.values();
  return inputs.map((input, index) => ({
    input,
    result: faults[index] ?? (results.next().value as ImportStep).result,
  }));
}

function findImportFault(input: ContactInput, seen: Set<string>): ImportFault | undefined {
  if (input.email === '') return 'noAddress';
  const faults = new Faults();
  const email = checkContact(faults, undefined, input);
  if (email === undefined) return 'address';
  if (seen.has(email)) return 'twice';
  seen.add(email);
  const [first] = faults.found;
  if (first) return first.field === 'phone' ? 'phone' : 'language';
  return fitsContact(input) ? undefined : 'tooLong';
}

/** Whether the texts are no longer than the APIs allow. */
export function fitsContact({ name = '', language = '', groups = [], addedGroups = [] }: ContactInput): boolean {
  const all = [...groups, ...addedGroups];
  return (
    name.length <= limits.nameLength &&
    language.length <= limits.languageLength &&
    all.length <= limits.groupsPerContact &&
    all.every((group) => group.length <= limits.groupLength)
  );
}
