import type { NewsKind } from '../outbox/news.ts';

/** The rights of a member of an account; each role includes the ones before it. */
export const memberRoles = ['reader', 'member', 'owner'] as const;
export type MemberRole = (typeof memberRoles)[number];

/** Someone who signs in. Accounts own drops and contacts; a membership joins a person to an account. */
export interface Person {
  readonly id: string;
  readonly email: string;
  /** Empty: their address. */
  readonly name: string;
  readonly language: string;
  /** An IANA name; empty: that of the server. */
  readonly timeZone: string;
  /** Whether single keys are shortcuts in the app. */
  readonly hasShortcuts: boolean;
  /** Identifies the person to authenticators. */
  readonly handle: Buffer;
  readonly isAdministrator: boolean;
  readonly disabled: boolean;
  readonly createdAt: Date;
}

export type Profile = Pick<Person, 'name' | 'language' | 'timeZone'>;

export interface NewPerson extends Pick<Person, 'id' | 'email' | 'name' | 'language' | 'handle'> {
  readonly isAdministrator: boolean;
}

/** An account that a person belongs to. */
export interface Membership {
  readonly accountId: string;
  /** The address of the account. */
  readonly account: string;
  /** The name that people know the account by, or its address if it has none. */
  readonly accountName: string;
  readonly role: MemberRole;
}

/** A person who belongs to an account. */
export interface Member {
  readonly personId: string;
  readonly email: string;
  readonly name: string;
  readonly role: MemberRole;
  readonly since: Date;
  readonly disabled: boolean;
  /** Someone who was invited and has not chosen yet how to sign in; undefined for everybody else. */
  readonly invited?: { readonly expiresAt: Date } | undefined;
}

export interface PersonStore {
  byId(personId: string): Promise<Person | undefined>;
  byEmail(email: string): Promise<Person | undefined>;
  /** Ordered by address, after `after`; somebody invited has not chosen yet how to sign in. */
  page(after: string, count: number): Promise<(Person & { readonly isInvited: boolean })[]>;
  /** False if the address is taken. */
  insert(person: NewPerson): Promise<boolean>;
  setProfile(personId: string, profile: Partial<Profile>): Promise<void>;
  setShortcuts(personId: string, hasShortcuts: boolean): Promise<void>;
  makeAdministrator(personId: string): Promise<void>;
  setDisabled(personId: string, disabled: boolean): Promise<void>;
  /** Serialises changes to the sign-in methods of one person until the transaction ends. */
  lock(personId: string): Promise<void>;
  /**
   * Ordered by the account's address, after `after`; accounts that are being deleted are left out, and those that are
   * disabled unless they are asked for.
   */
  memberships(personId: string, after: string, count: number, accounts?: 'usable' | 'all'): Promise<Membership[]>;
  /** Undefined if the person does not belong to the account, or if it is disabled or being deleted. */
  membership(personId: string, account: string): Promise<Membership | undefined>;
  /** Ordered by address, after `after`. */
  members(accountId: string, after: string, count: number): Promise<Member[]>;
  role(accountId: string, personId: string): Promise<MemberRole | undefined>;
  countMembers(accountId: string): Promise<{ readonly all: number; readonly owners: number }>;
  /** Adds a member, or changes their role. */
  setMembership(accountId: string, personId: string, role: MemberRole): Promise<void>;
  /** False if the person is no member. */
  changeRole(accountId: string, personId: string, role: MemberRole): Promise<boolean>;
  /** The news of the account that the member gets by mail. */
  news(accountId: string, personId: string): Promise<readonly NewsKind[]>;
  setNews(accountId: string, personId: string, news: readonly NewsKind[]): Promise<void>;
  /** False if there was none. */
  removeMembership(accountId: string, personId: string): Promise<boolean>;
  /** Settles up to `count` mails to a person as a member, so that they no longer refer to the person. Returns how many. */
  detachMessages(personId: string, count: number): Promise<number>;
  /** Removes a person without sign-in methods, and what is left of their sessions, links and memberships. */
  remove(personId: string): Promise<void>;
}
