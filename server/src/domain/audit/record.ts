import type { Engines } from '../engines.ts';
import type { Store } from '../store.ts';
import type { AuditAction } from './actions.ts';
import type { Author, NewAuditEntry } from './audit-store.ts';

/** The account that stands for the server itself, used for changes that belong to no account. */
export const serverAccountId = '00000000-0000-0000-0000-000000000000';

type Change = Omit<NewAuditEntry, 'id' | 'details'> &
  Partial<Pick<NewAuditEntry, 'details'>> & { readonly accountId: string };

/** A change without whose it is and who made it, which the caller adds. */
export type UnattributedChange = Omit<Change, 'accountId' | 'author'>;

/**
 * Writes the audit entry of a change inside the transaction that makes the change. If the values before and after are
 * given and none differs, nothing has changed, and nothing is written.
 */
export async function record(
  engines: Pick<Engines, 'random'>,
  tx: Pick<Store, 'audit'>,
  { accountId, details = {}, ...change }: Change,
): Promise<void> {
  if (isEmpty(change.before) && isEmpty(change.after)) return;
  await tx.audit.append(accountId, { id: engines.random.uuid(), details, ...change });
}

function isEmpty(values: NewAuditEntry['after']): boolean {
  return values !== undefined && Object.keys(values).length === 0;
}

/** The values that differ, as they were and as they are, under the same names. They are compared as they are recorded. */
export function findDifference<Values extends object>(
  before: Values,
  after: Values,
): { before: Record<string, unknown>; after: Record<string, unknown> } {
  const names = Object.keys(after) as (keyof Values & string)[];
  const changed = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  const select = (values: Values) => Object.fromEntries(changed.map((name) => [name, values[name]]));
  return { before: select(before), after: select(after) };
}

/**
 * Records work on the server as a whole that is not one transaction, such as a backup. It is written once the work is
 * done.
 */
export async function recordMaintenance(
  engines: Pick<Engines, 'store' | 'random'>,
  author: Author,
  action: AuditAction,
  details: Readonly<Record<string, unknown>>,
): Promise<void> {
  await record(engines, engines.store, { accountId: serverAccountId, author, action, details });
}
