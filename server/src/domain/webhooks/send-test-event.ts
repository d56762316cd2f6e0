import type { Actor } from '../actor.ts';
import type { Engines } from '../engines.ts';
import { findWebhook } from './find-webhook.ts';

/** Sends a webhook an event with which its receiver can be tried out. Returns the event's id. */
export async function sendTestEvent(
  { store, random }: Pick<Engines, 'store' | 'random'>,
  actor: Actor,
  id: string,
): Promise<string> {
  const eventId = random.uuid();
  await store.transaction(async (tx) => {
    await findWebhook({ store: tx }, actor, id);
    const delivery = { eventId, type: 'webhook.test', data: { webhook_id: id } };
    await tx.webhookDeliveries.enqueue(actor.accountId, id, delivery);
  });
  return eventId;
}
