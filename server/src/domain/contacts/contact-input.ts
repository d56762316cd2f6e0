import { limits, patterns } from '@waybill/protocol';
import { ExchangeError, type Faults, type InputEntry } from '../exchange-error.ts';
import { toVisibleGroups, toVisibleName } from '../safe-name.ts';
import type { Store } from '../store.ts';
import type { Contact } from './contact-store.ts';
import { emailAddress } from './email-address.ts';
import { phoneNumber } from './phone-number.ts';

/** A contact as a caller describes it. */
export interface ContactInput extends PersonDetails {
  readonly email: string;
  readonly groups?: readonly string[] | undefined;
  /** Groups that it gets in addition to those that it has. */
  readonly addedGroups?: readonly string[] | undefined;
}

/** The address in the form in which it is stored; undefined if it is none. Faults are recorded. */
export function checkContact(faults: Faults, entry: InputEntry | undefined, input: ContactInput): string | undefined {
  const { phone, language } = input;
  // An empty text says that there is none.
  checkDetails(faults, entry, { phone: phone || undefined, language: language || undefined });
  return faults.check({ entry, field: 'email' }, () => emailAddress(input.email));
}

/** Keeps the previous value of every property that the input leaves out. */
export function contactFrom(input: ContactInput, email: string, before?: Contact): Contact {
  const groups = input.groups ? toVisibleGroups(input.groups) : (before?.groups ?? []);
  return {
    email,
    phone: input.phone ?? before?.phone ?? '',
    language: input.language ?? before?.language ?? '',
    groups: input.addedGroups ? [...new Set([...groups, ...toVisibleGroups(input.addedGroups)])] : [...groups],
    name: input.name === undefined ? (before?.name ?? '') : toVisibleName(input.name),
  };
}

export async function requireRoom(store: Store, accountId: string, newContacts: number): Promise<void> {
  if (newContacts === 0) return;
  const count = await store.contacts.count(accountId);
  if (count + newContacts <= limits.contactsPerAccount) return;
  const more = newContacts === 1 ? 'another one does' : `${newContacts} more do`;
  throw new ExchangeError(
    'invalid_input',
    `An account has at most ${limits.contactsPerAccount} contacts. This one has ${count}, and ${more} not fit. Remove some first.`,
  );
}

/** The details of a person besides the address, as a caller gives them. */
export interface PersonDetails {
  readonly name?: string | undefined;
  readonly phone?: string | undefined;
  readonly language?: string | undefined;
}

const languageTag = new RegExp(`^${patterns.languageTag}$`);

export function checkDetails(faults: Faults, entry: InputEntry | undefined, { phone, language }: PersonDetails): void {
  if (phone !== undefined) faults.check({ entry, field: 'phone' }, () => phoneNumber(phone));
  if (language !== undefined && !languageTag.test(language)) {
    faults.add({ entry, field: 'language' }, 'invalid_input', 'The language must be a tag such as en or pt-BR.');
  }
}
