import { setImmediate } from 'node:timers/promises';

/** Short against the 50 ms for which one request may hold the event loop: what is done with an item comes on top. */
const turnMs = 5;

/**
 * The items of a list that a caller sent, with a pause whenever this thread has worked on them for some milliseconds, so
 * that it serves other requests in between.
 */
export async function* inTurns<Item>(items: Iterable<Item>): AsyncGenerator<Item, void, void> {
  let since = performance.now();
  for (const item of items) {
    if (performance.now() - since >= turnMs) {
      await setImmediate();
      since = performance.now();
    }
    yield item;
  }
}
