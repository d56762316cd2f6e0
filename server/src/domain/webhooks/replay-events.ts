import type { Actor, KeyActor } from '../actor.ts';
import { record } from '../audit/record.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import { findWebhook } from './find-webhook.ts';
import { requireMayControl } from './readable-events.ts';

/** Sends a webhook one event again, or all since a time, with the ids that they had. */
export async function replayEvents(
  engines: Pick<Engines, 'store' | 'random'>,
  actor: Actor | KeyActor,
  id: string,
  which: { readonly eventId: string } | { readonly since: Date },
): Promise<void> {
  const { accountId, author } = actor;
  await engines.store.transaction(async (tx) => {
    requireMayControl(actor, await findWebhook({ store: tx }, actor, id));
    if ('since' in which) await tx.webhookDeliveries.replaySince(accountId, id, which.since);
    else if (!(await tx.webhookDeliveries.replay(accountId, id, which.eventId)))
      throw new ExchangeError('not_found', 'The event was not for this webhook, or is not kept any more.');
    await record(engines, tx, { accountId, author, action: 'webhook.replayed', details: { webhookId: id, ...which } });
  });
}
