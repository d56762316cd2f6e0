import type { Scope } from '@waybill/protocol/v1';
import type { Batch } from '../batch.ts';
import type { SecondFactor } from '../policy.ts';

export interface Account {
  readonly id: string;
  readonly email: string;
  readonly phone: string;
  readonly type: 'api' | 'user';
  readonly language: string;
  /** The name that people know it by; empty: its address. */
  readonly displayName: string;
  readonly disabled: boolean;
  /** Whether an administrator has deleted it, and sweeps have not yet removed all of it. */
  readonly deleting: boolean;
  readonly createdAt: Date;
  /** Null: the server's setting applies. */
  readonly secondFactor: SecondFactor | null;
  /** Whether the sender is told when everything has been sent to a receiver. */
  readonly receipts: boolean;
  /** Whether that mail carries the receipt. */
  readonly attachReceipts: boolean;
  /** Whether receivers who have not fetched everything are reminded before the deadline. */
  readonly reminders: boolean;
  /** Whether its members may see the links of receivers, and so act as them. */
  readonly showLinks: boolean;
  /** For how many days the composer suggests to make files available. Null: as long as the server does. */
  readonly defaultDays: number | null;
  /** The account whose test account it is; null for any other account. */
  readonly testOf: string | null;
}

export type AccountChoices = Pick<
  Account,
  'displayName' | 'secondFactor' | 'receipts' | 'attachReceipts' | 'reminders' | 'showLinks' | 'defaultDays'
>;

/** The restrictions of a key: its scopes, networks and expiry. Null: without restriction. */
export interface KeyRights {
  readonly scopes: readonly Scope[] | null;
  readonly networks: readonly string[] | null;
  readonly expiresAt: Date | null;
}

export interface ApiKey extends KeyRights {
  readonly id: string;
  readonly accountId: string;
  /** Whether its account is a test account. */
  readonly isTest: boolean;
  /** Empty if an administrator made it by command. */
  readonly name: string;
  readonly hint: string;
  readonly createdAt: Date;
  /** The key that made it; null if an administrator or an owner of the account did. */
  readonly createdBy: string | null;
  readonly lastUsedAt: Date | null;
  /** Whether the key is neither revoked nor past its end. */
  readonly isLive: boolean;
  readonly revokedAt: Date | null;
}

interface NewApiKey extends KeyRights {
  readonly id: string;
  readonly name: string;
  readonly hint: string;
  readonly digest: Buffer;
  readonly createdBy: string | null;
}

/** A key that is neither revoked nor past its end, of an account that is not disabled. */
export interface LiveKey extends KeyRights {
  readonly accountId: string;
  readonly email: string;
  /** Whether the account is a test account. */
  readonly isTest: boolean;
  readonly keyId: string;
  readonly digest: Buffer;
  /** Whether its last use is recorded too long ago. */
  readonly useIsDue: boolean;
}

export interface AccountStore {
  /** The live keys of an account, if it is enabled, that are not restricted to scopes. */
  credentials(email: string): Promise<readonly LiveKey[] | undefined>;
  liveKey(digest: Buffer): Promise<LiveKey | undefined>;
  /** The ids of those of these keys that may not be used any more: revoked, past their end, or of a disabled account. */
  unusableKeys(keys: readonly { readonly accountId: string; readonly keyId: string }[]): Promise<ReadonlySet<string>>;
  recordKeyUse(accountId: string, keyId: string): Promise<void>;
  byEmail(email: string): Promise<Account | undefined>;
  byId(accountId: string): Promise<Account | undefined>;
  /** Ordered by address, after `after`. */
  page(after: string, count: number): Promise<Account[]>;
  /** False when the address is taken. */
  insert(
    account: Pick<Account, 'id' | 'email' | 'phone' | 'type' | 'language'> & Partial<Pick<Account, 'testOf'>>,
  ): Promise<boolean>;
  findTestAccount(accountId: string): Promise<Account | undefined>;
  /** Also that of its test account. */
  setDisabled(accountId: string, disabled: boolean): Promise<void>;
  setChoices(accountId: string, choices: Partial<AccountChoices>): Promise<void>;
  /** Serialises changes to one account's keys and contacts until the transaction ends. */
  lock(accountId: string): Promise<void>;
  /** Locks the account, and then its test account, also one that was being opened when the call began. */
  lockBoth(accountId: string): Promise<void>;
  /** Those of the account and of its test account, as the methods on one key. */
  keys(accountId: string): Promise<ApiKey[]>;
  insertKey(accountId: string, key: NewApiKey): Promise<ApiKey>;
  /** A key that is not revoked. */
  unrevokedKey(accountId: string, keyId: string): Promise<ApiKey | undefined>;
  /**
   * Revokes a key, and with `descendants` also those that it made, those that they made, and so on. Returns the ids of
   * those that were not revoked before.
   */
  revokeKey(accountId: string, keyId: string, descendants: boolean): Promise<string[]>;
  /**
   * Returns those of these addresses that are accounts to which a drop of the account is handed over: test accounts if it is one,
   * and live accounts otherwise; none that is being deleted.
   */
  findReceiving(accountId: string, emails: readonly string[]): Promise<{ email: string; id: string }[]>;
}

/** The records that an account loses by its deletion. */
export interface AccountContents {
  readonly liveDrops: number;
  readonly drops: number;
  readonly files: number;
  readonly storedBytes: number;
  readonly inboxEntries: number;
  readonly contacts: number;
  readonly liveKeys: number;
  readonly webhooks: number;
  /** The people who belong to no other account and are no administrators: they are deleted with the account. */
  readonly people: number;
  /** The addresses of up to 20 of them. */
  readonly firstPeople: readonly string[];
}

/** The deletion of whole accounts: marked by an administrator, done by sweeps in batches. */
export interface AccountDeletionStore {
  contents(accountId: string): Promise<AccountContents>;
  /** Disables the account and its test account, which the caller has locked, and marks both. False if a legal hold protects one of them or something of it. */
  mark(accountId: string): Promise<boolean>;
  /** Up to `count` accounts that are marked and not under a legal hold, those marked first before others. */
  marked(count: number): Promise<{ id: string; email: string }[]>;
  /**
   * Ends drops, abandons uploads, destroys the keys of files and removes other rows, up to `count` of each kind.
   * Changes nothing while a legal hold is in force. Also returns the ids of the drops that it has ended.
   */
  clear(accountId: string, count: number): Promise<Batch & { readonly ended: readonly string[] }>;
  /** Removes the account itself. False while anything is left of it, such as files whose objects are to be deleted. */
  finish(accountId: string): Promise<boolean>;
}
