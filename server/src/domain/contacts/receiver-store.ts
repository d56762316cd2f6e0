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
  /** Those of the domains to which the account has sent, or in which it has a contact. */
  knownDomains(accountId: string, domains: readonly string[]): Promise<string[]>;
}
