import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { ByCommand } from './audit-store.ts';
import type { AuditTargetName } from './audit-target-store.ts';
import { record, serverAccountId } from './record.ts';

/**
 * Continues with the entry after one that a target refuses. The target is told that it lacks an entry, because the audit
 * records it.
 */
export async function skipRefusedEntry(
  engines: Pick<Engines, 'store' | 'random'> & ByCommand,
  name: AuditTargetName,
  entryId: string,
): Promise<void> {
  await engines.store.transaction(async (tx) => {
    const skipped = await tx.auditTargets.skip(name, entryId);
    if (!skipped) {
      throw new ExchangeError(
        'not_found',
        `The target ${name} does not refuse the entry ${entryId}. To see which one it refuses: waybilld admin audit targets`,
      );
    }
    await record(engines, tx, {
      accountId: serverAccountId,
      author: engines.administrator,
      action: 'audit.skipped',
      details: { target: name, entryId, failure: skipped.failure },
    });
  });
}
