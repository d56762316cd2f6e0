import type { SecondFactor, SharedLinks } from '../policy.ts';

/** The quotas of an account or a group. Null: the value of the group, or of the server, applies. */
export interface Quotas {
  readonly maxStoredBytes: number | null;
  readonly maxFileBytes: number | null;
  readonly dropsPerDay: number | null;
  readonly mailsPerDay: number | null;
  readonly minLifetime: number | null;
  readonly maxLifetime: number | null;
  /** If given, only these. */
  readonly lifetimes: readonly number[] | null;
  readonly secondFactor: SecondFactor | null;
  /** The strictest rule applies: that of the account, of its group, or of the server. */
  readonly sharedLinks: SharedLinks | null;
  readonly receiverDomains: readonly string[] | null;
  readonly acceptsEncrypted: boolean | null;
}

export interface Group extends Quotas {
  readonly id: string;
  readonly name: string;
  readonly accountCount: number;
}

export interface Usage {
  /** Files, and what uploads in progress have reserved. */
  readonly storedBytes: number;
  /** Since midnight, in UTC. */
  readonly dropsToday: number;
  readonly mailsToday: number;
}

export interface AccountUsage extends Usage {
  readonly accountId: string;
  readonly email: string;
}

export interface QuotaStore {
  /**
   * The account's own values, completed with those of its group, and for a test account with those of its live account,
   * except lifetimes.
   */
  of(accountId: string): Promise<Quotas & { readonly isTest: boolean }>;
  /** The account's own values alone, and the name of its group. */
  own(accountId: string): Promise<Quotas & { readonly group: string | null }>;
  setForAccount(accountId: string, quotas: Partial<Quotas>): Promise<void>;
  /** An account is in one group at most; null takes it out. */
  join(accountId: string, groupId: string | null): Promise<void>;
  /** False when the name is taken. */
  createGroup(id: string, name: string): Promise<boolean>;
  setForGroup(groupId: string, quotas: Partial<Quotas>): Promise<void>;
  group(name: string): Promise<Group | undefined>;
  /** Ordered by name, after `after`. */
  groups(after: string, count: number): Promise<Group[]>;
  /** False while accounts are in it. */
  removeGroup(groupId: string): Promise<boolean>;
  usage(accountId: string): Promise<Usage>;
  /** Ordered by address, after `after`. */
  usagePage(after: string, count: number): Promise<AccountUsage[]>;
  /**
   * Adds up what the account stores, and corrects its usage. Must be called in a transaction. Returns what the usage was
   * and what it is.
   */
  recount(accountId: string): Promise<{ readonly before: number; readonly after: number }>;
  /**
   * Counts a dispatch and its mails, or mails about an earlier one. Returns the counts of this day, which are exact until
   * the transaction ends, and the seconds until the next day.
   */
  countDispatch(
    accountId: string,
    counted: { readonly drops: 0 | 1; readonly mails: number },
  ): Promise<Pick<Usage, 'dropsToday' | 'mailsToday'> & { readonly secondsLeft: number }>;
}
