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
