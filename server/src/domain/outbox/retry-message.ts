import type { Account } from '../accounts/account-store.ts';
import type { ByCommand } from '../audit/audit-store.ts';
import { record } from '../audit/record.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';

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
