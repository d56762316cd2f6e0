/** Hands out each item to one user at a time. When none is free, callers wait in order of arrival. */
export interface Slots<Item> {
  /** Rejects with the signal's reason when none became free in time. */
  take(signal: AbortSignal): Promise<Item>;
  give(item: Item): void;
}

export function slots<Item>(items: Iterable<Item>): Slots<Item> {
  const free = [...items];
  const waiting = new Set<(item: Item) => void>();
  return {
    take(signal) {
      const item = free.pop();
      if (item !== undefined) return Promise.resolve(item);
      return new Promise((resolve, reject) => {
        const served = (given: Item) => {
          signal.removeEventListener('abort', gaveUp);
          resolve(given);
        };
        const gaveUp = () => {
          waiting.delete(served);
          reject(signal.reason);
        };
        waiting.add(served);
        signal.addEventListener('abort', gaveUp, { once: true });
      });
    },
    give(item) {
      const [next] = waiting;
      if (next) {
        waiting.delete(next);
        next(item);
      } else {
        free.push(item);
      }
    },
  };
}
