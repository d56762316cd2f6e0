import type { Engines } from '../engines.ts';
import type { AuditAction } from './actions.ts';
import type { Author } from './audit-store.ts';
import { record, serverAccountId } from './record.ts';

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
