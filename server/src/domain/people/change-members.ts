import type { Author } from '../audit/audit-store.ts';
import { record, type UnattributedChange } from '../audit/record.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError, invalidField } from '../exchange-error.ts';
import type { Store } from '../store.ts';
import type { MemberRole } from './person-store.ts';

type Needs = Pick<Engines, 'store' | 'random'>;

const membersPerAccount = 200;

/** Adds a person to an account, or changes their role. An account that has owners keeps at least one. */
export async function setMember(
  engines: Needs,
  author: Author,
  { accountId, personId, role }: { accountId: string; personId: string; role: MemberRole },
): Promise<void> {
  await changeMembers(engines, author, accountId, async (tx) => {
    const before = await readRole(tx, accountId, personId);
    await tx.people.setMembership(accountId, personId, role);
    return { action: 'member.set', ...(await aboutPerson(tx, personId)), before, after: { role } };
  });
}

/** Changes the role of someone who is a member. */
export async function changeRole(
  engines: Needs,
  author: Author,
  { accountId, personId, role }: { accountId: string; personId: string; role: MemberRole },
): Promise<void> {
  await changeMembers(engines, author, accountId, async (tx) => {
    const before = await readRole(tx, accountId, personId);
    if (!(await tx.people.changeRole(accountId, personId, role))) throw new ExchangeError('not_found');
    return { action: 'member.set', ...(await aboutPerson(tx, personId)), before, after: { role } };
  });
}

/** Removes a person from an account; what they may no longer see is cut off at their next request. */
export async function removeMember(
  engines: Needs,
  author: Author,
  { accountId, personId }: { accountId: string; personId: string },
): Promise<void> {
  await changeMembers(engines, author, accountId, async (tx) => {
    const before = await readRole(tx, accountId, personId);
    if (!(await tx.people.removeMembership(accountId, personId))) throw new ExchangeError('not_found');
    return { action: 'member.removed', ...(await aboutPerson(tx, personId)), before };
  });
}

/**
 * Removes someone who has not accepted their invitation. A link that this account has sent stops working, unless another
 * account has invited them too.
 */
export async function revokeInvitation(
  engines: Needs,
  author: Author,
  { accountId, personId }: { accountId: string; personId: string },
): Promise<void> {
  await engines.store.transaction(async (tx) => {
    await tx.people.lock(personId);
    await removeMember({ ...engines, store: tx }, author, { accountId, personId });
    const person = await tx.people.byId(personId);
    if (!person || (await tx.signInMethods.hasAny(personId))) throw new ExchangeError('not_found');
    // Their own account was opened by the invitation.
    const memberships = await tx.people.memberships(personId, '', 2, 'all');
    if (memberships.every(({ account }) => account === person.email)) await tx.personLinks.end(personId, { accountId });
  });
}

async function changeMembers(
  engines: Needs,
  author: Author,
  accountId: string,
  change: (tx: Store) => Promise<UnattributedChange>,
): Promise<void> {
  await engines.store.transaction(async (tx) => {
    const changed = await changeWithinLimits(tx, accountId, () => change(tx));
    await record(engines, tx, { accountId, author, ...changed });
  });
}

/**
 * Adds a person to an account, as a part of a change that the caller records. The role of a member is changed by itself,
 * and not along the way.
 */
export async function addMember(
  tx: Store,
  { accountId, personId, role }: { accountId: string; personId: string; role: MemberRole },
  { isPending }: { readonly isPending: boolean },
): Promise<void> {
  await changeWithinLimits(tx, accountId, async () => {
    const current = await tx.people.role(accountId, personId);
    if (current === undefined) return tx.people.setMembership(accountId, personId, role);
    // The invitation of somebody who has not accepted it is sent again.
    if (isPending && current === role) return;
    throw invalidField('role', 'This person belongs to the account already. Change their role in the list of members.');
  });
}

async function changeWithinLimits<Result>(
  tx: Store,
  accountId: string,
  change: () => Promise<Result>,
): Promise<Result> {
  await tx.accounts.lock(accountId);
  const before = await tx.people.countMembers(accountId);
  const result = await change();
  const after = await tx.people.countMembers(accountId);
  if (before.owners > 0 && after.owners === 0) {
    throw new ExchangeError('invalid_input', 'An account keeps at least one owner. Make someone else an owner first.');
  }
  if (after.all > before.all && (await tx.accounts.byId(accountId))?.testOf != null) {
    throw new ExchangeError('invalid_input', 'A test account has no members. Add the person to the live account.');
  }
  if (after.all > Math.max(before.all, membersPerAccount)) {
    throw new ExchangeError('invalid_input', `An account has at most ${membersPerAccount} members.`);
  }
  return result;
}

async function aboutPerson(tx: Store, personId: string): Promise<Pick<UnattributedChange, 'addresses' | 'details'>> {
  const person = await tx.people.byId(personId);
  return { ...(person && { addresses: [person.email] }), details: { personId } };
}

async function readRole(tx: Store, accountId: string, personId: string): Promise<{ role: MemberRole | null }> {
  return { role: (await tx.people.role(accountId, personId)) ?? null };
}
