import type { Author } from '../audit/audit-store.ts';
import { record } from '../audit/record.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { Store } from '../store.ts';
import type { MemberRole } from './person-store.ts';

type Needs = Pick<Engines, 'store' | 'random'>;

/** Adds a person to an account, or changes their role. An account that has owners keeps at least one. */
export async function setMember(
  engines: Needs,
  author: Author,
  { accountId, personId, role }: { accountId: string; personId: string; role: MemberRole },
): Promise<void> {
  await changeMembers(engines, author, accountId, async (tx) => {
    await tx.people.setMembership(accountId, personId, role);
    return { action: 'member.set', details: { personId, role } };
  });
}

/** Removes a person from an account; what they may no longer see is cut off at their next request. */
export async function removeMember(
  engines: Needs,
  author: Author,
  { accountId, personId }: { accountId: string; personId: string },
): Promise<void> {
  await changeMembers(engines, author, accountId, async (tx) => {
    if (!(await tx.people.removeMembership(accountId, personId))) throw new ExchangeError('not_found');
    return { action: 'member.removed', details: { personId } };
  });
}

async function changeMembers(
  engines: Needs,
  author: Author,
  accountId: string,
  change: (tx: Store) => Promise<{ action: string; details: Record<string, unknown> }>,
): Promise<void> {
  await engines.store.transaction(async (tx) => {
    await tx.accounts.lock(accountId);
    const owners = await tx.people.countOwners(accountId);
    const changed = await change(tx);
    if (owners > 0 && (await tx.people.countOwners(accountId)) === 0) {
      throw new ExchangeError(
        'invalid_input',
        'An account keeps at least one owner. Make someone else an owner first.',
      );
    }
    await record(engines, tx, { accountId, author, ...changed });
  });
}
