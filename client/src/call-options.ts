// In a file of its own: users of the package need no types of Node for it.

/** What every call accepts. */
export interface CallOptions {
  /** Aborts the call, which then throws the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** What a call accepts that changes something. */
export interface PostOptions extends CallOptions {
  /**
   * Makes the call repeatable: with the same key within 7 days, by any process, it is carried out once, and answered the
   * same each time. Without it, the call itself retries safely.
   */
  idempotencyKey?: string | undefined;
}
