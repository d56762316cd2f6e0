import type { Engines } from '../engines.ts';
import type { Store } from '../store.ts';
import type { NewAuditEntry } from './audit-store.ts';

/** The account that stands for the server itself, used for changes that belong to no account. */
export const serverAccountId = '00000000-0000-0000-0000-000000000000';

export type Change = Omit<NewAuditEntry, 'id' | 'details'> &
  Partial<Pick<NewAuditEntry, 'details'>> & { readonly accountId: string };

/** A change without whose it is and who made it, which the caller adds. */
export type ChangeItself = Omit<Change, 'accountId' | 'author'>;

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
