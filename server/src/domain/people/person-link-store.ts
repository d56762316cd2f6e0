import type { Person } from './person-store.ts';

type PersonLinkPurpose = 'invitation' | 'recovery';

/** A mailed link to a page on which a person chooses how to sign in; it can be used once. */
export interface PersonLink {
  readonly id: string;
  readonly purpose: PersonLinkPurpose;
  /** The address of the person who invited; empty for a recovery, and if the operator invited. */
  readonly invitedBy: string;
  /** The name of that person; empty if they have none. */
  readonly inviterName: string;
  /** The account whose member the person becomes; undefined if it is only their own. */
  readonly account: { readonly email: string; readonly name: string } | undefined;
  readonly expiresAt: Date;
  readonly state: 'open' | 'used' | 'expired';
  readonly person: Person;
}

export interface PersonLinkStore {
  /** Writes the link and the job that mails it, unless `mail` is false. */
  insert(
    link: {
      id: string;
      personId: string;
      purpose: PersonLinkPurpose;
      invitedBy: string;
      accountId: string | null;
      lifetimeSeconds: number;
    },
    mail: boolean,
  ): Promise<void>;
  /** Makes the links of the person stop working: all, or those that an account has sent. */
  end(personId: string, sentBy?: { readonly accountId: string }): Promise<void>;
  /** The account that sent the person a link that is open; null if it was the operator. Undefined if there is none. */
  findOpen(personId: string): Promise<{ readonly accountId: string | null } | undefined>;
  /** Enqueues the job that looks for a person with this address. */
  requestRecovery(email: string): Promise<void>;
  byId(id: string): Promise<PersonLink | undefined>;
  /** Marks the link as used; false if it was used or has expired. */
  use(id: string): Promise<boolean>;
  /** How many links of this purpose were made for the person since, and how many of them by this account. */
  countSince(
    personId: string,
    purpose: PersonLinkPurpose,
    seconds: number,
    accountId?: string | null,
  ): Promise<{ readonly all: number; readonly byAccount: number }>;
  purge(count: number): Promise<number>;
}

/** Values that may be used once, such as challenges and logout tokens. */
export interface UsedTokenStore {
  /** False if it was used before. It is remembered for this long. */
  use(digest: Buffer, seconds: number): Promise<boolean>;
  purge(count: number): Promise<number>;
}
