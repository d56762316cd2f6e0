/** How long a value is used before it is read again, and how long after a failure nobody tries. */
export interface Ages {
  readonly maxAgeMs: number;
  readonly retryMs: number;
  /** Monotonic. */
  readonly now: () => number;
}

/**
 * Reads a value when it is first needed, and again when it is old. An old value is used until there is a newer one. While
 * it is being read, and for some time after a failure, nobody reads it again: a provider that is down must not cost
 * everyone who looks at the sign-in page a time limit.
 */
export function cached<Value>(read: () => Promise<Value>, { maxAgeMs, retryMs, now }: Ages): () => Promise<Value> {
  let known: { readonly value: Value; readonly at: number } | undefined;
  let failed: { readonly error: unknown; readonly at: number } | undefined;
  let reading: Promise<Value> | undefined;

  const readAgain = () => {
    reading ??= read()
      .then(
        (value) => {
          known = { value, at: now() };
          failed = undefined;
          return value;
        },
        (error: unknown) => {
          failed = { error, at: now() };
          throw error;
        },
      )
      .finally(() => {
        reading = undefined;
      });
    return reading;
  };

  return async () => {
    const mayRead = failed === undefined || now() - failed.at >= retryMs;
    if (known) {
      if (now() - known.at >= maxAgeMs && mayRead) void readAgain().catch(() => undefined);
      return known.value;
    }
    if (mayRead || reading) return readAgain();
    throw failed?.error;
  };
}
