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
 * Serves many callers with few queries: callers that ask in the same turn of the event loop, or while all queries are
 * in flight, share the next one. Every result comes from a query that began after the call, so no result is older than
 * a change made before the call.
 */
export function batched<Key, Value>(
  load: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>,
  limits: BatchLimits,
): (key: Key) => Promise<Value | undefined> {
  interface Question {
    readonly key: Key;
    readonly answer: PromiseWithResolvers<Value | undefined>;
  }
  /** In the order of the calls, with the timer of each. */
  const waiting = new Map<Question, NodeJS.Timeout>();
  let inFlight = 0;
  let isTurnEnding = false;

  const askNext = () => {
    isTurnEnding = false;
    while (waiting.size > 0 && inFlight < limits.inFlight) {
      void ask(waiting.keys().take(limits.keys).map(taken).toArray());
    }
  };
  const ask = async (questions: readonly Question[]) => {
    inFlight += 1;
    try {
      const found = await load([...new Set(questions.map(({ key }) => key))]);
      for (const { key, answer } of questions) answer.resolve(found.get(key));
    } catch (error) {
      for (const { answer } of questions) answer.reject(error);
    }
    inFlight -= 1;
    askNext();
  };
  const taken = (question: Question) => {
    clearTimeout(waiting.get(question));
    waiting.delete(question);
    return question;
  };

  return (key) => {
    const question: Question = { key, answer: Promise.withResolvers() };
    if (waiting.size >= limits.waiting) {
      question.answer.reject(limits.overloaded());
    } else {
      const giveUp = () => taken(question).answer.reject(limits.overloaded());
      waiting.set(question, setTimeout(giveUp, limits.waitMs));
      if (!isTurnEnding && inFlight < limits.inFlight) {
        isTurnEnding = true;
        setImmediate(askNext);
      }
    }
    return question.answer.promise;
  };
}
