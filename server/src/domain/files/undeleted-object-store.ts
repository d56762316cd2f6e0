/** An object that is to be deleted, and that the store did not delete although it responds. */
export interface UndeletedObject {
  readonly key: string;
  readonly attempts: number;
  readonly firstFailedAt: Date;
}

/** For the whole server, not for one account. */
export interface UndeletedObjectStore {
  /** Records that these could not be deleted. Each is due again after twice the time as before, up to a day. */
  record(keys: readonly string[]): Promise<void>;
  /** Up to `count` that are due, each taken for `leaseSeconds`. */
  takeDue(count: number, leaseSeconds: number): Promise<string[]>;
  /** They are deleted now. */
  purge(keys: readonly string[]): Promise<void>;
  /** In the order of their keys, after `after`. */
  list(after: string | undefined, count: number): Promise<UndeletedObject[]>;
}
