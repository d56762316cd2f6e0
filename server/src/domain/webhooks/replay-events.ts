import type { Actor, KeyActor } from '../actor.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import { findWebhook } from './find-webhook.ts';
import { requireMayControl } from './readable-events.ts';

/** Sends a webhook one event again, or all since a time, with the ids that they had. */
export async function replayEvents(
  { store }: Pick<Engines, 'store'>,
  actor: Actor | KeyActor,
  id: string,
  which: { readonly eventId: string } | { readonly since: Date },
): Promise<void> {
  await store.transaction(async (tx) => {
    requireMayControl(actor, await findWebhook({ store: tx }, actor, id));
    if ('since' in which) return tx.webhookDeliveries.replaySince(actor.accountId, id, which.since);
    if (await tx.webhookDeliveries.replay(actor.accountId, id, which.eventId)) return;
    throw new ExchangeError('not_found', 'The event was not for this webhook, or is not kept any more.');
  });
}
