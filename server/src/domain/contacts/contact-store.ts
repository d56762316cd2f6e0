/** An entry in an address book. A text that is not known is empty. */
export interface Contact {
  readonly email: string;
  readonly name: string;
  readonly phone: string;
  readonly language: string;
  readonly groups: readonly string[];
}

/** A person to whom a drop or a request is sent. */
export interface Receiver extends Omit<Contact, 'name'> {
  /** The name in the address book; empty if there is none. */
  readonly contactName: string;
  /** The name that the caller chose for this drop or request. */
  readonly name?: string;
}

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

/** Someone to whom an account may want to send. */
export interface KnownReceiver {
  readonly email: string;
  /** Empty if none is known. */
  readonly name: string;
  /** Whether a code can be sent to them by SMS. */
  readonly hasPhone: boolean;
}

export interface KnownGroup {
  readonly name: string;
  readonly size: number;
}

/** Finds whom a person means in the field of receivers: among contacts, and those to whom the account sent lately. */
export interface ReceiverStore {
  /**
   * Those whose name or address contains the text: recent receivers first, then contacts, those of the account before
   * those of the administrator.
   */
  find(accountId: string, text: string, count: number): Promise<KnownReceiver[]>;
  /** Groups of contacts whose name contains the text. */
  findGroups(accountId: string, text: string, count: number): Promise<KnownGroup[]>;
  /** The contacts that are in the group with this name, in whatever case it is written. */
  inGroup(accountId: string, group: string, count: number): Promise<KnownReceiver[]>;
  /** The contacts with exactly this name, in whatever case it is written. */
  named(accountId: string, name: string, count: number): Promise<KnownReceiver[]>;
  /** Returns the domains among these to which the account has sent, or in which it has a contact. */
  knownDomains(accountId: string, domains: readonly string[]): Promise<string[]>;
  /** Returns up to twice as many addresses, in any order: those to which the account sent lately, and those of contacts. */
  usual(accountId: string, count: number): Promise<string[]>;
}
