import type { Contact } from './contact.ts';

/** A contact, and whether it is the account's own or the administrator's. */
export interface ListedContact extends Contact {
  readonly list: 'local' | 'global';
}

export interface ContactFilter {
  /** The beginning of an address, or of a word of a name. */
  readonly search?: string | undefined;
  readonly list?: ListedContact['list'] | undefined;
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
  /** By address, after `after`. A local contact hides the global one with its address. */
  page(
    accountId: string,
    filter: ContactFilter,
    after: Pick<Contact, 'email'> | undefined,
    count: number,
  ): Promise<ListedContact[]>;
  /** How many local contacts there are. */
  count(accountId: string): Promise<number>;
  /** Replaces the local list. Returns what it was. */
  replace(accountId: string, contacts: readonly Contact[]): Promise<Contact[]>;
  /** Changes the local contacts with these addresses, and appends those that are new. */
  put(accountId: string, contacts: readonly Contact[]): Promise<void>;
  remove(accountId: string, email: string): Promise<void>;
  readGlobal(): Promise<Contact[]>;
  replaceGlobal(contacts: readonly Contact[]): Promise<void>;
}
