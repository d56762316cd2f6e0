export interface BatchLimits {
  /** Keys in one query. */
  readonly keys: number;
  /** Queries in flight. More than one, so that a query that hangs does not block all callers. */
  readonly inFlight: number;
  /** Callers that may wait for the next query; any further caller is rejected at once. */
  readonly waiting: number;
  /** How long a caller waits for the next query to begin. */
  readonly waitMs: number;
  /** The error of a caller that is rejected, or has waited for too long. */
  readonly overloaded: () => Error;
}

/**
 * Serves many callers with few queries: calls made in the same turn of the event loop, or while all queries are in
 * flight, share the next one. Every result comes from a query that began after the call, so no result is older than a
 * change made before the call.
 */
export function batchCalls<Key, Value>(
  load: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>,
  limits: BatchLimits,
): (key: Key) => Promise<Value | undefined> {
  interface Call {
    readonly key: Key;
    readonly result: PromiseWithResolvers<Value | undefined>;
  }
  /** In the order of the calls, with the timer of each. */
  const waiting = new Map<Call, NodeJS.Timeout>();
  let inFlight = 0;
  let isTurnEnding = false;

  const startQueries = () => {
    isTurnEnding = false;
    while (waiting.size > 0 && inFlight < limits.inFlight) {
      void query(waiting.keys().take(limits.keys).map(dequeue).toArray());
    }
  };
  const query = async (calls: readonly Call[]) => {
    inFlight += 1;
    try {
      const found = await load([...new Set(calls.map(({ key }) => key))]);
      for (const { key, result } of calls) result.resolve(found.get(key));
    } catch (error) {
      for (const { result } of calls) result.reject(error);
    }
    inFlight -= 1;
    startQueries();
  };
  const dequeue = (call: Call) => {
    clearTimeout(waiting.get(call));
    waiting.delete(call);
    return call;
  };

  return (key) => {
    const call: Call = { key, result: Promise.withResolvers() };
    if (waiting.size >= limits.waiting) {
      call.result.reject(limits.overloaded());
    } else {
      const timeOut = () => dequeue(call).result.reject(limits.overloaded());
      waiting.set(call, setTimeout(timeOut, limits.waitMs));
      if (!isTurnEnding && inFlight < limits.inFlight) {
        isTurnEnding = true;
        setImmediate(startQueries);
      }
    }
    return call.result.promise;
  };
}
