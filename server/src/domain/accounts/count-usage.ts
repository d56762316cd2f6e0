import type { Engines } from '../engines.ts';

const accountsPerPage = 100;

/**
 * Adds up what accounts store that existed before usage was counted, each in its own transaction. An account that cannot
 * be counted now does not keep the others from being counted.
 */
export async function countUsage({ store }: Pick<Engines, 'store'>, signal?: AbortSignal): Promise<number> {
  const failures: unknown[] = [];
  let counted = 0;
  let after: string | undefined;
  for (;;) {
    const page = await store.quotas.uncounted(after, accountsPerPage);
    for (const accountId of page) {
      signal?.throwIfAborted();
      try {
        await store.transaction((tx) => tx.quotas.recount(accountId));
        counted += 1;
      } catch (error) {
        failures.push(error);
      }
    }
    after = page.at(-1);
    if (page.length < accountsPerPage) break;
  }
  if (failures.length > 0) throw failures[0];
  return counted;
}
