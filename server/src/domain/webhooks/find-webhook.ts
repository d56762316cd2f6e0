import type { Actor } from '../actor.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import { query } from '../query.ts';
import type { Webhook } from './webhook-store.ts';

export async function findWebhook({ store }: Pick<Engines, 'store'>, actor: Actor, id: string): Promise<Webhook> {
  const webhook = await store.webhooks.byId(actor.accountId, id);
  if (!webhook) throw new ExchangeError('not_found');
  return webhook;
}

export const listWebhooks = query((store) => store.webhooks.list);
export const listWebhookAttempts = query((store) => store.webhookDeliveries.attempts);
