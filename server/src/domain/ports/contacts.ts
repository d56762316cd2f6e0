import type { Contact } from '@waybill/protocol';

export interface ContactLists {
  readonly local: Contact[];
  readonly global: Contact[];
  /** Changes whenever either list does. */
  readonly version: string;
}

export interface ContactStore {
  read(accountId: string): Promise<ContactLists>;
  version(accountId: string): Promise<string>;
  /** Of these addresses, those already in the account's local list. */
  known(accountId: string, emails: readonly string[]): Promise<string[]>;
  /** Of these addresses, the contacts behind them; a local contact wins over a global one. */
  find(accountId: string, emails: readonly string[]): Promise<Contact[]>;
  replace(accountId: string, contacts: readonly Contact[]): Promise<void>;
  readGlobal(): Promise<Contact[]>;
  replaceGlobal(contacts: readonly Contact[]): Promise<void>;
}
