import { limits } from '@waybill/protocol';
import type { KeyActor } from '../actor.ts';
import { record } from '../audit/record.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import { requireReadable } from './readable-events.ts';
import { saltBytes } from './webhook-secrets.ts';
import type { Webhook, WebhookInput } from './webhook-store.ts';
import { requireUsableUrl } from './webhook-url.ts';

type Needs = Pick<Engines, 'store' | 'random' | 'webhookSender'>;

export async function createWebhook(engines: Needs, actor: KeyActor, input: WebhookInput): Promise<Webhook> {
  requireReadable(actor, input.types);
  requireUsableUrl(engines, input.url);
  const { store, random } = engines;
  const { accountId } = actor;
  return store.transaction(async (tx) => {
    await tx.accounts.lock(accountId);
    // Revoked a moment ago, with the webhooks that it made, it must not make another one.
    if (!(await tx.accounts.unrevokedKey(accountId, actor.key.id))) throw new ExchangeError('unauthorized');
    const existing = await tx.webhooks.list(accountId, limits.webhooksPerAccount);
    if (existing.length >= limits.webhooksPerAccount) throw new ExchangeError('too_many_webhooks');
    const { id: createdBy, scopes } = actor.key;
    const salt = random.bytes(saltBytes);
    const webhook = await tx.webhooks.insert(accountId, { ...input, id: random.uuid(), createdBy, scopes, salt });
    const details = { webhookId: webhook.id };
    await record(engines, tx, { accountId, author: actor.author, action: 'webhook.created', details });
    return webhook;
  });
}
