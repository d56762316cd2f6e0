import { systemAuthor } from '../audit/author.ts';
import { record } from '../audit/record.ts';
import type { Engines } from '../engines.ts';
import type { AutomaticDisabledReason } from './webhook-store.ts';

/** Stops sending to a webhook, and tells the account's owner by mail. */
export async function disableWebhook(
  engines: Pick<Engines, 'store' | 'random' | 'logger'>,
  accountId: string,
  webhookId: string,
  reason: AutomaticDisabledReason,
): Promise<void> {
  const { store, random, logger } = engines;
  await store.transaction(async (tx) => {
    if (!(await tx.webhooks.disable(accountId, webhookId, reason, random.uuid()))) return;
    const details = { webhookId, reason };
    await record(engines, tx, { accountId, author: systemAuthor('server'), action: 'webhook.disabled', details });
    logger.warn('a webhook was disabled', { webhook: webhookId, reason });
  });
}
