import type { Account } from '../accounts/account-store.ts';
import type { ByCommand } from '../audit/audit-store.ts';
import { record } from '../audit/record.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import { query } from '../query.ts';
import type { AbandonedFilter, OutboxLine } from './outbox-store.ts';

/** Sends a message now that was abandoned or waits for its next attempt. */
export async function retryMessage(
  engines: Pick<Engines, 'store' | 'random'> & ByCommand,
  account: Account,
  messageId: string,
): Promise<void> {
  await engines.store.transaction(async (tx) => {
    const isFound = (await tx.outbox.revive(account.id, messageId)) || (await tx.outbox.hasten(account.id, messageId));
    if (!isFound) {
      throw new ExchangeError(
        'not_found',
        `${account.email} has no message ${messageId} that was abandoned or waits for a later attempt.`,
      );
    }
    await record(engines, tx, {
      accountId: account.id,
      author: engines.administrator,
      action: 'message.retried',
      details: { messageId },
    });
  });
}

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
        const details = { count };
        await record(engines, tx, { accountId, author: engines.administrator, action: 'messages.retried', details });
      }
      return { count: revived.reduce((sum, { count }) => sum + count, 0), end };
    });
    until = batch.end;
    total += batch.count;
    if (batch.count === 0) return total;
  }
}

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

export const listMessages = query((store) => store.outbox.page);
