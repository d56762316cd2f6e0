/** The first response to a request, which its repetitions get too. */
export interface StoredResponse {
  readonly requestDigest: Buffer;
  /** The API key that sent the request. */
  readonly keyId: string;
  readonly answer: Buffer;
}

export interface ResponseStore {
  /**
   * Reserves a request for this transaction; `in_flight` if another transaction has reserved it. Returns the first
   * response if there is one.
   */
  reserve(accountId: string, keyDigest: Buffer): Promise<StoredResponse | 'in_flight' | undefined>;
  insert(accountId: string, keyDigest: Buffer, stored: StoredResponse): Promise<void>;
  /** Whether there is a response to a request. */
  exists(accountId: string, keyDigest: Buffer): Promise<boolean>;
  /** Keeps the newest responses of an account, up to a number and a size of all together. */
  trim(accountId: string, limit: { readonly count: number; readonly bytes: number }): Promise<void>;
  purge(olderThanSeconds: number, count: number): Promise<number>;
}
