import type { ByCommand } from '../audit/audit-store.ts';
import { record } from '../audit/record.ts';
import type { Engines } from '../engines.ts';

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
