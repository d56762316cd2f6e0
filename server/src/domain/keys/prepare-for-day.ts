import type { Engines } from '../engines.ts';
import type { Store } from '../store.ts';
import type { FilesOf } from './key-store.ts';

/**
 * For a drop that ends in this time: fetches what is needed to wrap the keys of its files by the key of that day. What
 * is returned is called in the transaction that sets the deadline. A file that was stored in between and is left out
 * stays readable: a day key lives for as long as it wraps anything.
 */
export async function prepareForDay(
  { store, dayKeys }: Pick<Engines, 'store' | 'dayKeys'>,
  accountId: string,
  of: FilesOf,
  secondsLeft: number,
): Promise<(tx: Store, dropId: string) => Promise<void>> {
  const rewrap = await dayKeys.prepare(await store.wrappedKeys.ofFiles(accountId, of), secondsLeft);
  return async (tx, dropId) => {
    const replaced = rewrap(await tx.wrappedKeys.ofFiles(accountId, { dropId }));
    if (replaced.length > 0) await tx.wrappedKeys.replace('files', replaced);
  };
}
