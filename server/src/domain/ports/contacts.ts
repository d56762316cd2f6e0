import type { Contact } from '@waybill/protocol';

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
  find(accountId: string, emails: readonly string[]): Promise<Contact[]>;
  replace(accountId: string, contacts: readonly Contact[]): Promise<void>;
  readGlobal(): Promise<Contact[]>;
  replaceGlobal(contacts: readonly Contact[]): Promise<void>;
}
