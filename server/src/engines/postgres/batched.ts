/**
 * One question at a time for many askers: who asks while a query is under way is answered by the next one. Every answer
 * comes from a query that began after its question, so nothing is ever answered from before a change.
 */
export function batched<Key, Value>(
  load: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>,
  most: number,
): (key: Key) => Promise<Value | undefined> {
  interface Question {
    readonly key: Key;
    readonly answer: PromiseWithResolvers<Value | undefined>;
  }
  let waiting: Question[] = [];
  let busy = false;

  const run = async () => {
    busy = true;
    while (waiting.length > 0) {
      const asked = waiting.slice(0, most);
      waiting = waiting.slice(most);
      try {
        const found = await load([...new Set(asked.map(({ key }) => key))]);
        for (const { key, answer } of asked) answer.resolve(found.get(key));
      } catch (error) {
        for (const { answer } of asked) answer.reject(error);
      }
    }
    busy = false;
  };

  return (key) => {
    const answer = Promise.withResolvers<Value | undefined>();
    waiting.push({ key, answer });
    if (!busy) void run();
    return answer.promise;
  };
}
