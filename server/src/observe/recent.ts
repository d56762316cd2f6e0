/** However often and by however many a process is asked, the database is queried this often. */
const defaultMaxAgeMs = 15_000;
/** The database may be unavailable, and that is when everything else is wanted most. */
const defaultPatienceMs = 2_000;

/**
 * Loads at most one result at a time, for everyone who asks until it is old. Undefined when there is none in time, or
 * loading it failed.
 */
export function cacheBriefly<Result>(
  load: () => Promise<Result>,
  { maxAgeMs = defaultMaxAgeMs, patienceMs = defaultPatienceMs, now = () => performance.now() } = {},
): () => Promise<Result | undefined> {
  let loading: Promise<Result | undefined> | undefined;
  let staleAt = Number.NEGATIVE_INFINITY;
  return async () => {
    if (now() >= staleAt) {
      // While it loads, however long that takes, no second one is loaded beside it.
      staleAt = Number.POSITIVE_INFINITY;
      loading = load()
        .catch(() => undefined)
        .finally(() => {
          staleAt = now() + maxAgeMs;
        });
    }
    const timeout = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => timeout.resolve(undefined), patienceMs);
    try {
      return await Promise.race([loading, timeout.promise]);
    } finally {
      clearTimeout(timer);
    }
  };
}
