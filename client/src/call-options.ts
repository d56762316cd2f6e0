/** In a file of its own: users of the package need no types of Node for it. */
export interface CallOptions {
  signal?: AbortSignal | undefined;
}

export interface PostOptions extends CallOptions {
  /**
   * Makes the call repeatable: with the same key within 7 days, by any process, it is carried out once, and answered the
   * same each time. Without it, the call itself retries safely.
   */
  idempotencyKey?: string | undefined;
}
