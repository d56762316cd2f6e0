import type { Actor } from '../actor.ts';
import { record } from '../audit/record.ts';
import type { Engines } from '../engines.ts';
import { findWebhook } from './find-webhook.ts';

/** Sends a webhook an event with which its receiver can be tried out. Returns the event's id. */
export async function sendTestEvent(
  engines: Pick<Engines, 'store' | 'random'>,
  actor: Actor,
  id: string,
): Promise<string> {
  const { accountId, author } = actor;
  const eventId = engines.random.uuid();
  await engines.store.transaction(async (tx) => {
    await findWebhook({ store: tx }, actor, id);
    const delivery = { eventId, type: 'webhook.test', data: { webhook_id: id } };
    await tx.webhookDeliveries.enqueue(accountId, id, delivery);
    await record(engines, tx, { accountId, author, action: 'webhook.tested', details: { webhookId: id, eventId } });
  });
  return eventId;
}
