import type { Actor } from '../actor.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import { query } from '../query.ts';
import type { ListedContact } from './contact-store.ts';
import { emailAddress } from './email-address.ts';

type Needs = Pick<Engines, 'store'>;

/** As many as a list below a field shows. */
const maxSuggestions = 8;
const maxSuggestedGroups = 3;

export const countContacts = query((store) => store.contacts.countFound);
export const findContacts = query((store) => store.contacts.find);
export const findOwnAddresses = query((store) => store.contacts.known);
export const listContacts = query((store) => store.contacts.page);
export const listContactGroups = query((store) => store.contacts.groups);
export const listGlobalContacts = query((store) => store.contacts.readGlobal);
export const listGroupMembers = query((store) => store.receivers.inGroup);
export const readContactLists = query((store) => store.contacts.read);

/** The account's own contact, or else the administrator's, with this address. */
export async function findContact({ store }: Needs, { accountId }: Actor, address: string): Promise<ListedContact> {
  const [contact] = await store.contacts.find(accountId, [emailAddress(address)]);
  if (!contact)
    throw new ExchangeError('not_found', 'There is no contact with this address. Check it in the list of contacts.');
  return contact;
}

/** Suggests receivers, and groups of them, for what a person has typed. */
export async function suggestReceivers({ store: { receivers } }: Needs, { accountId }: Actor, text: string) {
  // Groups have to be asked for, while recent receivers are worth offering at once.
  const groups = text === '' ? [] : await receivers.findGroups(accountId, text, maxSuggestedGroups);
  return { people: await receivers.find(accountId, text, maxSuggestions - groups.length), groups };
}
