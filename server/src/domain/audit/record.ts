import type { Engines } from '../engines.ts';
import type { Store } from '../store.ts';
import type { Author } from './audit-store.ts';

/** The account that stands for the server itself, used for changes that belong to no account. */
export const serverAccountId = '00000000-0000-0000-0000-000000000000';

/** Writes the audit entry of a change inside the transaction that makes the change. */
export async function record(
  engines: Pick<Engines, 'random'>,
  tx: Pick<Store, 'audit'>,
  change: { accountId: string; author: Author; action: string; details?: Record<string, unknown> },
): Promise<void> {
  await tx.audit.append(change.accountId, {
    id: engines.random.uuid(),
    author: change.author,
    action: change.action,
    details: change.details ?? {},
  });
}
