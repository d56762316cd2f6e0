import type { ByCommand } from '../audit/audit-store.ts';
import { record } from '../audit/record.ts';
import type { Engines } from '../engines.ts';
import type { OutboxLine } from './outbox-store.ts';

const messagesPerBatch = 500;

/**
 * Sends now what waits for its next attempt, such as after an outage of the mail server, and starts to count its
 * attempts again. Works in batches, each with one transaction and one audit entry per account. Returns how many.
 */
export async function retryWaitingMessages(
  engines: Pick<Engines, 'store' | 'random'> & ByCommand,
  { reason }: { readonly reason: string | undefined },
): Promise<number> {
  let total = 0;
  // From the latest to the earliest: a message that fails meanwhile waits for seconds only, so the run ends.
  for (let before: Pick<OutboxLine, 'at' | 'id'> | undefined; ; ) {
    const { hastened, next } = await engines.store.transaction(async (tx) => {
      const batch = await tx.outbox.hastenAll({ reason, before }, messagesPerBatch);
      for (const { accountId, count } of batch.hastened) {
        const details = { count, state: 'waiting' };
        await record(engines, tx, { accountId, author: engines.administrator, action: 'messages.retried', details });
      }
      return batch;
    });
    if (next === undefined) return total;
    before = next;
    total += hastened.reduce((sum, { count }) => sum + count, 0);
  }
}
