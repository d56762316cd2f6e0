import type { ByCommand } from '../audit/audit-store.ts';
import { record } from '../audit/record.ts';
import type { Engines } from '../engines.ts';
import type { AbandonedFilter } from './outbox-store.ts';

const messagesPerBatch = 500;

/**
 * Resends all messages that had been abandoned when it began; a message that is abandoned during the run stays so. Works
 * in batches, each with one transaction and one audit entry per account. Returns how many.
 */
export async function retryAllMessages(
  engines: Pick<Engines, 'store' | 'random'> & ByCommand,
  filter: AbandonedFilter,
): Promise<number> {
  let total = 0;
  for (let until: string | undefined; ; ) {
    const batch = await engines.store.transaction(async (tx) => {
      const { revived, until: end } = await tx.outbox.reviveAll({ ...filter, until }, messagesPerBatch);
      for (const { accountId, count } of revived) {
        await record(engines, tx, {
          accountId,
          author: engines.administrator,
          action: 'messages.retried',
          details: { count },
        });
      }
      return { count: revived.reduce((sum, { count }) => sum + count, 0), end };
    });
    until = batch.end;
    total += batch.count;
    if (batch.count === 0) return total;
  }
}
