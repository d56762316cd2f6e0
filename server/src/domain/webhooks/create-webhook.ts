import { limits } from '@waybill/protocol';
import type { Actor, KeyActor } from '../actor.ts';
import { findDifference, record } from '../audit/record.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import { invalidField } from '../faults.ts';
import { findScopes, requireReadable } from './readable-events.ts';
import { saltBytes } from './webhook-secrets.ts';
import type { Webhook, WebhookInput } from './webhook-store.ts';

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

/** The settings of a webhook for the audit; of its URL only where it leads, because the rest may be a secret. */
function describeWebhook({ url, types, description }: Webhook) {
  return { origin: new URL(url).origin, types, description };
}

/** The settings that differ. The origin is among them if the URL differs anywhere, so that no change seems to be none. */
export function describeChange(before: Webhook, after: Webhook): ReturnType<typeof findDifference> {
  const [old, now] = [describeWebhook(before), describeWebhook(after)];
  const difference = findDifference(old, now);
  if (before.url === after.url) return difference;
  return {
    before: { ...difference.before, origin: old.origin },
    after: { ...difference.after, origin: now.origin },
  };
}

export function requireUsableUrl({ webhookSender }: Pick<Engines, 'webhookSender'>, url: string): void {
  const detail = webhookSender.objection(url);
  if (detail !== undefined) throw invalidField('url', detail);
}
