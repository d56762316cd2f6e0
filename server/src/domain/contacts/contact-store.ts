import type { Contact } from './contact.ts';

/** A contact, and whether it is the account's own or the administrator's. */
export interface ListedContact extends Contact {
  readonly list: 'local' | 'global';
}

/** Which contacts a list has: those that match everything that is given. */
export interface ContactFilter {
  /** Part of an address or of a name. */
  readonly search?: string | undefined;
  readonly group?: string | undefined;
  readonly list?: ListedContact['list'] | undefined;
}

/** By the name, or the address of a contact without one, or by the address; after this contact. */
export interface ContactOrder {
  readonly by: 'name' | 'email';
  readonly isDescending?: boolean | undefined;
  readonly after?: Pick<Contact, 'name' | 'email'> | undefined;
}

/** A group, and how many contacts are in it. */
export interface ContactGroup {
  readonly name: string;
  readonly count: number;
}

export interface ContactLists {
  readonly local: Contact[];
  readonly global: Contact[];
  /** Changes whenever either list changes. */
  readonly version: string;
}

export interface ContactStore {
  read(accountId: string): Promise<ContactLists>;
  version(accountId: string): Promise<string>;
  /** Returns those of these addresses that are already in the account's local list. */
  known(accountId: string, emails: readonly string[]): Promise<string[]>;
  /** Returns the contacts with these addresses; a local contact takes precedence over a global one. */
  find(accountId: string, emails: readonly string[]): Promise<ListedContact[]>;
  /** A local contact hides the global one with its address, here and in everything that is counted. */
  page(accountId: string, filter: ContactFilter, order: ContactOrder, count: number): Promise<ListedContact[]>;
  countFound(accountId: string, filter: ContactFilter): Promise<number>;
  /** Returns up to `count` groups, the largest ones, by name. */
  groups(accountId: string, count: number): Promise<ContactGroup[]>;
  /** How many local contacts there are. */
  count(accountId: string): Promise<number>;
  /** Replaces the local list. Returns what it was. */
  replace(accountId: string, contacts: readonly Contact[]): Promise<Contact[]>;
  /** Changes the local contacts with these addresses, and appends those that are new. */
  put(accountId: string, contacts: readonly Contact[]): Promise<void>;
  remove(accountId: string, emails: readonly string[]): Promise<void>;
  readGlobal(): Promise<Contact[]>;
  replaceGlobal(contacts: readonly Contact[]): Promise<void>;
}
