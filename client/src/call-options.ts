// Separate from the code, so that users of the package do not need the types of Node.

/** Options of every call. */
export interface CallOptions {
  /** Aborts the call, which then throws the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** Options of a call that changes something. */
export interface PostOptions extends CallOptions {
  /**
   * Makes the call idempotent: calls with the same key within 7 days, by any process, are carried out once and return
   * the same result. Without a key, only the retries of this call are idempotent.
   */
  idempotencyKey?: string | undefined;
}
