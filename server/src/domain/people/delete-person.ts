import type { Author } from '../audit/audit-store.ts';
import { record, serverAccountId } from '../audit/record.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { Store } from '../store.ts';
import { removeMember } from './change-members.ts';
import type { Membership, Person } from './person-store.ts';

type Needs = Pick<Engines, 'store' | 'random'>;

const membershipsPerPage = 100;
const messagesPerBatch = 1000;

/**
 * Removes a person for good: sign-in methods, sessions, mailed links and memberships, with their name and address. What they
 * did in accounts stays as a part of these, and in the audit for as long as that is kept. Refused while an account would lose
 * its last owner.
 */
export async function deletePerson(engines: Needs, author: Author, person: Person): Promise<void> {
  const { store } = engines;
  await store.transaction(async (tx) => {
    await requireOtherOwners(tx, person);
    // Nothing of theirs begins any more.
    await tx.people.setDisabled(person.id, true);
    await tx.sessions.end(person.id, 'all');
    await tx.personLinks.end(person.id);
  });
  while ((await store.people.detachMessages(person.id, messagesPerBatch)) === messagesPerBatch);
  await store.transaction(async (tx) => {
    for await (const { accountId } of listMemberships(tx, person.id)) {
      await removeMember({ ...engines, store: tx }, author, { accountId, personId: person.id });
    }
    // Those that came while they were a member.
    await tx.people.detachMessages(person.id, messagesPerBatch);
    await tx.signInMethods.removeAll(person.id);
    await tx.people.remove(person.id);
    const about = { addresses: [person.email], details: { personId: person.id } };
    await record(engines, tx, { accountId: serverAccountId, author, action: 'person.deleted', ...about });
  });
}

/** Removes the people who belong to no other account than to one that is being deleted. Administrators stay. */
export async function deletePeopleOf(engines: Needs, author: Author, accountId: string): Promise<void> {
  const { people } = engines.store;
  for (let after = ''; ; ) {
    const members = await people.members(accountId, after, membershipsPerPage);
    for (const { personId } of members) {
      const person = await people.byId(personId);
      const [other] = await people.memberships(personId, '', 1, 'all');
      if (person && !person.isAdministrator && !other) await deletePerson(engines, author, person);
    }
    if (members.length < membershipsPerPage) return;
    after = members.at(-1)?.email ?? '';
  }
}

async function requireOtherOwners(tx: Store, { id, email }: Person): Promise<void> {
  for await (const { account, accountId, role } of listMemberships(tx, id)) {
    if (role !== 'owner') continue;
    const { owners } = await tx.people.countMembers(accountId);
    if (owners > 1) continue;
    throw new ExchangeError(
      'precondition_failed',
      `${email} is the only owner of ${account}, so nothing was deleted. Make someone else an owner, or delete the account first: waybilld admin accounts delete --account ${account}`,
    );
  }
}

async function* listMemberships(tx: Store, personId: string): AsyncGenerator<Membership> {
  for (let after = ''; ; ) {
    const page = await tx.people.memberships(personId, after, membershipsPerPage, 'all');
    yield* page;
    if (page.length < membershipsPerPage) return;
    after = page.at(-1)?.account ?? '';
  }
}
