import { limits } from '@waybill/protocol';
import type { Actor, KeyActor } from '../actor.ts';
import { record } from '../audit/record.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import { describeWebhook } from './describe-webhook.ts';
import { findScopes, requireReadable } from './readable-events.ts';
import { saltBytes } from './webhook-secrets.ts';
import type { Webhook, WebhookInput } from './webhook-store.ts';
import { requireUsableUrl } from './webhook-url.ts';

type Needs = Pick<Engines, 'store' | 'random' | 'webhookSender'>;

export async function createWebhook(engines: Needs, actor: Actor | KeyActor, input: WebhookInput): Promise<Webhook> {
  requireReadable(actor, input.types);
  requireUsableUrl(engines, input.url);
  const { store, random } = engines;
  const { accountId } = actor;
  return store.transaction(async (tx) => {
    await tx.accounts.lock(accountId);
    const createdBy = 'key' in actor ? actor.key.id : null;
    // Revoked a moment ago, with the webhooks that it made, a key must not make another one.
    if (createdBy !== null && !(await tx.accounts.unrevokedKey(accountId, createdBy))) {
      throw new ExchangeError('unauthorized');
    }
    const existing = await tx.webhooks.list(accountId, limits.webhooksPerAccount);
    if (existing.length >= limits.webhooksPerAccount) throw new ExchangeError('too_many_webhooks');
    const [scopes, salt] = [findScopes(actor), random.bytes(saltBytes)];
    const webhook = await tx.webhooks.insert(accountId, { ...input, id: random.uuid(), createdBy, scopes, salt });
    await record(engines, tx, {
      accountId,
      author: actor.author,
      action: 'webhook.created',
      details: { webhookId: webhook.id },
      after: describeWebhook(webhook),
    });
    return webhook;
  });
}
