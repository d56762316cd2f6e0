import type { AuditAction } from '../audit/actions.ts';
import type { ByCommand } from '../audit/audit-store.ts';
import { findDifference, record, serverAccountId, type UnattributedChange } from '../audit/record.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { Account } from './account-store.ts';
import type { Group, Quotas } from './quota-store.ts';

type Needs = Pick<Engines, 'store' | 'random'> & ByCommand;

/** Sets what an account may do, and the group it is in. What is not given stays as it is. */
export async function setAccountQuotas(
  engines: Needs,
  account: Pick<Account, 'id'>,
  quotas: Partial<Quotas>,
  group?: Group | null,
): Promise<void> {
  await engines.store.transaction(async (tx) => {
    const before = await tx.quotas.own(account.id);
    if (group !== undefined) await tx.quotas.join(account.id, group?.id ?? null);
    if (Object.keys(quotas).length > 0) await tx.quotas.setForAccount(account.id, quotas);
    requireRange(await tx.quotas.of(account.id));
    await record(engines, tx, {
      accountId: account.id,
      author: engines.administrator,
      action: 'account.changed',
      ...findDifference(before, await tx.quotas.own(account.id)),
    });
  });
}

export async function createGroup(engines: Needs, name: string, quotas: Partial<Quotas>): Promise<void> {
  if (!/^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,99}$/u.test(name)) {
    throw new ExchangeError(
      'invalid_input',
      'A group’s name has up to 100 letters, digits, spaces, dots, hyphens and underscores, and begins with a letter or a digit.',
    );
  }
  const id = engines.random.uuid();
  await engines.store.transaction(async (tx) => {
    if (!(await tx.quotas.createGroup(id, name))) {
      throw new ExchangeError('invalid_input', `There is already a group ${name}.`);
    }
    if (Object.keys(quotas).length > 0) await tx.quotas.setForGroup(id, quotas);
    requireRange(await groupIn(tx, name));
    await recordGroup(engines, tx, 'group.created', { details: { name }, after: { ...quotas } });
  });
}

export async function setGroupQuotas(engines: Needs, { id, name }: Group, quotas: Partial<Quotas>): Promise<void> {
  await engines.store.transaction(async (tx) => {
    const before = await groupIn(tx, name);
    await tx.quotas.setForGroup(id, quotas);
    const after = await groupIn(tx, name);
    requireRange(after);
    await recordGroup(engines, tx, 'group.changed', { details: { name }, ...findDifference(before, after) });
  });
}

export async function removeGroup(engines: Needs, { id, name }: Group): Promise<void> {
  await engines.store.transaction(async (tx) => {
    if (!(await tx.quotas.removeGroup(id))) {
      throw new ExchangeError(
        'invalid_input',
        `Accounts are still in the group ${name}. Take each out first: waybilld admin accounts set --account ADDRESS --group none`,
      );
    }
    await recordGroup(engines, tx, 'group.deleted', { details: { name } });
  });
}

export async function findGroup({ store }: Pick<Engines, 'store'>, name: string): Promise<Group> {
  return groupIn(store, name);
}

async function groupIn({ quotas }: Pick<Engines['store'], 'quotas'>, name: string): Promise<Group> {
  const group = await quotas.group(name);
  if (!group)
    throw new ExchangeError('not_found', `There is no group ${name}. To see all groups: waybilld admin groups list`);
  return group;
}

function requireRange({ minLifetime, maxLifetime }: Quotas): void {
  if (minLifetime !== null && maxLifetime !== null && minLifetime > maxLifetime) {
    throw new ExchangeError('invalid_input', `No desttime is from ${minLifetime} to ${maxLifetime}: swap the two.`);
  }
}

function recordGroup(
  engines: Needs,
  tx: Engines['store'],
  action: AuditAction,
  change: Omit<UnattributedChange, 'action'>,
): Promise<void> {
  return record(engines, tx, { accountId: serverAccountId, author: engines.administrator, action, ...change });
}

/** Adds up what an account stores, and corrects the sum that is kept if it differs. Returns both sums. */
export async function recountUsage(
  engines: Pick<Engines, 'store' | 'random'> & ByCommand,
  accountId: string,
): Promise<{ readonly before: number; readonly after: number }> {
  return engines.store.transaction(async (tx) => {
    const { before, after } = await tx.quotas.recount(accountId);
    if (before !== after) {
      await record(engines, tx, {
        accountId,
        author: engines.administrator,
        action: 'usage.corrected',
        before: { storedBytes: before },
        after: { storedBytes: after },
      });
    }
    return { before, after };
  });
}
