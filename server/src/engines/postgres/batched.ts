import { OutOfReachError } from './database.ts';

export interface BatchLimits {
  /** Keys in one query. */
  readonly keys: number;
  /** Queries in flight. More than one, so that a query that hangs does not stop everybody. */
  readonly inFlight: number;
  /** Callers that may wait for the next query; a further one is refused at once. */
  readonly waiting: number;
  /** How long a caller waits for the next query to begin. */
  readonly waitMs: number;
}

/**
 * Answers many callers with few queries: whoever asks while all queries are in flight shares the next one. Every answer
 * comes from a query that began after its question, so nothing is answered from before a change.
 */
export function batched<Key, Value>(
  load: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>,
  limits: BatchLimits,
): (key: Key) => Promise<Value | undefined> {
  interface Question {
    readonly key: Key;
    readonly answer: PromiseWithResolvers<Value | undefined>;
  }
  /** In the order they were asked, with the timer of each. */
  const waiting = new Map<Question, NodeJS.Timeout>();
  let inFlight = 0;

  const ask = async (questions: readonly Question[]) => {
    inFlight += 1;
    try {
      const found = await load([...new Set(questions.map(({ key }) => key))]);
      for (const { key, answer } of questions) answer.resolve(found.get(key));
    } catch (error) {
      for (const { answer } of questions) answer.reject(error);
    }
    inFlight -= 1;
    if (waiting.size > 0) void ask(waiting.keys().take(limits.keys).map(taken).toArray());
  };
  const taken = (question: Question) => {
    clearTimeout(waiting.get(question));
    waiting.delete(question);
    return question;
  };

  return (key) => {
    const question: Question = { key, answer: Promise.withResolvers() };
    if (inFlight < limits.inFlight) void ask([question]);
    else if (waiting.size >= limits.waiting) question.answer.reject(overloaded());
    else {
      const giveUp = () => taken(question).answer.reject(overloaded());
      waiting.set(question, setTimeout(giveUp, limits.waitMs));
    }
    return question.answer.promise;
  };
}

const overloaded = () => new OutOfReachError('too many callers wait for the same query');
