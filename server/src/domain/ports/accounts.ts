import type { SecondFactor } from './engines.ts';

export interface Account {
  readonly id: string;
  readonly email: string;
  readonly number: string;
  readonly type: 'api' | 'user';
  readonly language: string;
  readonly disabled: boolean;
  readonly createdAt: Date;
  /** Null: as the server's setting says. */
  readonly secondFactor: SecondFactor | null;
  /** Whether the sender is told when everything was sent to a receiver. */
  readonly receipts: boolean;
  /** Whether other receivers are reminded before the deadline. */
  readonly reminders: boolean;
}

export type AccountChoices = Pick<Account, 'secondFactor' | 'receipts' | 'reminders'>;

export interface ApiKey {
  readonly id: string;
  readonly hint: string;
  readonly createdAt: Date;
  readonly revokedAt: Date | null;
}

export interface Credentials {
  readonly accountId: string;
  readonly keyDigests: readonly Buffer[];
}

export interface AccountStore {
  /** The live key digests of an enabled account. */
  credentials(email: string): Promise<Credentials | undefined>;
  byEmail(email: string): Promise<Account | undefined>;
  byId(accountId: string): Promise<Account | undefined>;
  /** In order of address, after `after`. */
  page(after: string, count: number): Promise<Account[]>;
  /** False when the address is taken. */
  insert(account: Pick<Account, 'id' | 'email' | 'number' | 'type' | 'language'>): Promise<boolean>;
  setDisabled(accountId: string, disabled: boolean): Promise<void>;
  setChoices(accountId: string, choices: Partial<AccountChoices>): Promise<void>;
  /** Serialises changes to one account's keys and contacts until the transaction ends. */
  lock(accountId: string): Promise<void>;
  keys(accountId: string): Promise<ApiKey[]>;
  insertKey(accountId: string, key: { id: string; hint: string; digest: Buffer }): Promise<void>;
  /** False when there is no such live key. */
  revokeKey(accountId: string, keyId: string): Promise<boolean>;
  /** Of these addresses, those that are accounts here. */
  idsOf(emails: readonly string[]): Promise<{ email: string; id: string }[]>;
}
