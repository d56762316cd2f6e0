import { AsyncLocalStorage } from 'node:async_hooks';
import type { Store } from '../src/domain/store.ts';
import type { Written } from './audited-operations.ts';

const current = new AsyncLocalStorage<Written[]>();

/** Runs something, and adds to the list the entries that are written to the audit meanwhile, by a store that is watched. */
export function withWritten<Result>(written: Written[], run: () => Result): Result {
  return current.run(written, run);
}

export type { Written };

/** The same store, whose entries of the audit can be listed by operation. */
export function watchAudit(store: Store): Store {
  return {
    ...store,
    audit: {
      ...store.audit,
      async append(accountId, entry) {
        await store.audit.append(accountId, entry);
        current.getStore()?.push(entry);
      },
    },
    transaction: (work) => {
      const outside = current.getStore();
      const inside: Written[] = [];
      // Entries that are rolled back were not written.
      return current
        .run(inside, () => store.transaction((tx) => work(watchAudit(tx))))
        .then((result) => {
          outside?.push(...inside);
          return result;
        });
    },
  };
}
