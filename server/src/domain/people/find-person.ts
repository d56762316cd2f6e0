import type { Author } from '../audit/audit-store.ts';
import { record, serverAccountId } from '../audit/record.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { Person } from './person-store.ts';

export async function findPerson({ store }: Pick<Engines, 'store'>, email: string): Promise<Person> {
  const person = await store.people.byEmail(email);
  if (!person) throw new ExchangeError('not_found', `There is no person with the address ${email}.`);
  return person;
}

/** Signs a disabled person out everywhere, and ends the links that were mailed to them. */
export async function setPersonDisabled(
  engines: Pick<Engines, 'store' | 'random'>,
  author: Author,
  { id, email }: Person,
  disabled: boolean,
): Promise<void> {
  await engines.store.transaction(async (tx) => {
    await tx.people.setDisabled(id, disabled);
    if (disabled) {
      await tx.sessions.end(id, 'all');
      await tx.personLinks.end(id);
    }
    const action = disabled ? 'person.disabled' : 'person.enabled';
    await record(engines, tx, { accountId: serverAccountId, author, action, addresses: [email] });
  });
}
