import type { Engines } from './engines.ts';
import type { Store } from './store.ts';

/** Declares an operation that is one query: its first argument is the engines, the others are those of the query. */
export function query<Args extends readonly unknown[], Result>(
  select: (store: Store) => (...args: Args) => Result,
): (engines: Pick<Engines, 'store'>, ...args: Args) => Result {
  return ({ store }, ...args) => select(store)(...args);
}
