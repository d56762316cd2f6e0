import { ExchangeError } from '../exchange-error.ts';
import type { Store } from '../store.ts';
import type { Person } from './person-store.ts';

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
