import type { Author } from '../audit/audit-store.ts';
import { record, serverAccountId } from '../audit/record.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import { query } from '../query.ts';
import type { Membership, Person } from './person-store.ts';

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

/** More accounts than a person chooses among in a menu. */
const maxAccounts = 50;

/** Lists the accounts that a person may use. */
export const listMemberships = ({ store }: Pick<Engines, 'store'>, { id }: Person) =>
  store.people.memberships(id, '', maxAccounts);

/** Finds the person's own account, or else all that they may use. */
export async function findOwnAccounts(engines: Pick<Engines, 'store'>, person: Person): Promise<Membership[]> {
  const own = await engines.store.people.membership(person.id, person.email);
  return own ? [own] : listMemberships(engines, person);
}

export const findMembership = query((store) => store.people.membership);
export const listMembers = query((store) => store.people.members);
export const countMembers = query((store) => store.people.countMembers);
export const readNews = query((store) => store.people.news);

/** For a person who is not signed in yet. */
export const setProfile = query((store) => store.people.setProfile);

export const listPeople = query((store) => store.people.page);
/** Lists the memberships of a person, also in accounts that are disabled. */
export const listAllMemberships = query((store) => store.people.memberships);
