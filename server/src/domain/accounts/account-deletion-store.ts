import type { Batch } from '../batch.ts';

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
  /** Those who belong to no other account, unless they are administrators: they are deleted with it. */
  readonly people: number;
  /** The addresses of up to 20 of them. */
  readonly firstPeople: readonly string[];
}

/** The deletion of whole accounts: marked by an administrator, done by sweeps in batches. */
export interface AccountDeletionStore {
  contents(accountId: string): Promise<AccountContents>;
  /** Disables the account and marks it. False if a legal hold protects it or something of it. */
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
