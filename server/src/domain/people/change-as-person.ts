import type { AuditAction } from '../audit/actions.ts';
import { personAuthor } from '../audit/author.ts';
import { type ChangeItself, record, serverAccountId } from '../audit/record.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { Store } from '../store.ts';
import type { Browser } from './browser.ts';
import type { Person } from './person-store.ts';

/**
 * Makes a change that a person makes about themselves, and records it with where they were. A session that ends by it is
 * not continued by one that replaces it at that moment.
 */
export async function changeAsPerson(
  engines: Pick<Engines, 'store' | 'random'>,
  { person, browser }: { readonly person: Person; readonly browser: Browser },
  action: AuditAction,
  change: (tx: Store) => Promise<Omit<ChangeItself, 'action'>>,
): Promise<void> {
  await engines.store.transaction(async (tx) => {
    await lockPerson(tx, person.id);
    const changed = await change(tx);
    const author = personAuthor(person, browser.address);
    await record(engines, tx, { accountId: serverAccountId, author, action, ...changed });
  });
}

/**
 * Locks a person, until the transaction ends, before their session begins or goes on: a change of their sign-in methods
 * that has ended all sessions must not be followed by one that was under way. Returns the person as they are then.
 */
export async function lockPerson(tx: Pick<Store, 'people'>, personId: string): Promise<Person> {
  await tx.people.lock(personId);
  const person = await tx.people.byId(personId);
  if (!person || person.disabled) throw new ExchangeError('sign_in_failed');
  return person;
}
