import { record } from '../audit/record.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { Account, Engines } from '../ports/index.ts';

/** Resends a message that was given up. */
export async function retryMessage(
  engines: Pick<Engines, 'store' | 'random'>,
  account: Account,
  messageId: string,
): Promise<void> {
  await engines.store.transaction(async (tx) => {
    if (!(await tx.outbox.revive(account.id, messageId))) {
      throw new ExchangeError('not_found', `${account.email} has no message ${messageId} that was given up.`);
    }
    await record(engines, tx, {
      accountId: account.id,
      actor: 'admin',
      action: 'message.retried',
      details: { messageId },
    });
  });
}
