import { personAuthor } from '../audit/author.ts';
import { record, serverAccountId } from '../audit/record.ts';
import type { Engines } from '../engines.ts';
import type { Store } from '../store.ts';
import type { Browser } from './browser.ts';
import type { Person } from './person-store.ts';

/** Makes a change that a person makes about themselves, and records it with where they were. */
export async function changeAsPerson(
  engines: Pick<Engines, 'store' | 'random'>,
  { person, browser }: { readonly person: Person; readonly browser: Browser },
  action: string,
  change: (tx: Store) => Promise<Record<string, unknown>>,
): Promise<void> {
  await engines.store.transaction(async (tx) => {
    const details = await change(tx);
    const author = personAuthor(person, browser.address);
    await record(engines, tx, { accountId: serverAccountId, author, action, details });
  });
}
