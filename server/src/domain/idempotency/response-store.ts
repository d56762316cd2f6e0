/** The first request with an Idempotency-Key, and its response, which its repetitions get too. */
export interface StoredResponse {
  readonly requestDigest: Buffer;
  /** The API key that sent the request. */
  readonly keyId: string;
  /** Null: it is always the same. */
  readonly response: Buffer | null;
}

export interface ResponseStore {
  /**
   * Reserves a request for this transaction. If another transaction has reserved it, either waits for its end or returns
   * `in_flight`. Returns the first request if there is one.
   */
  reserve(
    accountId: string,
    keyDigest: Buffer,
    ifReserved: 'wait' | 'return',
  ): Promise<StoredResponse | 'in_flight' | undefined>;
  insert(accountId: string, keyDigest: Buffer, stored: StoredResponse): Promise<void>;
  /** Whether there was a request. */
  exists(accountId: string, keyDigest: Buffer): Promise<boolean>;
  /** Keeps the newest responses of an account, up to a number and a size of all together, and requests without one. */
  trim(accountId: string, limit: { readonly count: number; readonly bytes: number }): Promise<void>;
  purge(olderThanSeconds: number, count: number): Promise<number>;
}
