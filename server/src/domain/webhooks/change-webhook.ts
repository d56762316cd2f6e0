import type { Actor, KeyActor } from '../actor.ts';
import type { AuditAction } from '../audit/actions.ts';
import { record } from '../audit/record.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import { requireVersion } from '../require-version.ts';
import type { Store } from '../store.ts';
import { describeChange, requireUsableUrl } from './create-webhook.ts';
import { requireCovered, requireMayControl } from './readable-events.ts';
import { saltBytes } from './webhook-secrets.ts';
import type { Webhook, WebhookInput } from './webhook-store.ts';

type Needs = Pick<Engines, 'store' | 'random' | 'webhookSender'>;

/** Which webhook, and the versions of it that the caller wants to change; undefined: any. */
export interface WebhookVersions {
  readonly id: string;
  readonly ifVersion: readonly string[] | undefined;
}

export async function changeWebhook(
  engines: Needs,
  actor: Actor | KeyActor,
  which: WebhookVersions,
  changes: Partial<WebhookInput>,
): Promise<Webhook> {
  if (changes.url !== undefined) requireUsableUrl(engines, changes.url);
  return changing(engines, actor, which, 'webhook.changed', (tx, webhook) => {
    const { url, types, description } = webhook;
    const input = { url, types, description, ...changes };
    requireCovered(webhook, input.types);
    requireMayControl(actor, { ...webhook, ...input });
    return tx.webhooks.change(actor.accountId, which.id, input);
  });
}

/** Deliveries that wait are not sent. */
export async function removeWebhook(engines: Needs, actor: Actor | KeyActor, which: WebhookVersions): Promise<void> {
  await changing(engines, actor, which, 'webhook.removed', async (tx, webhook) => {
    await tx.webhooks.remove(actor.accountId, which.id);
    return webhook;
  });
}

/** Requests are signed with both secrets for this long, so that the receiver can change over at any moment. */
export async function replaceWebhookSecret(
  engines: Needs,
  actor: Actor | KeyActor,
  which: WebhookVersions,
  previousSeconds: number,
): Promise<Webhook> {
  const salt = engines.random.bytes(saltBytes);
  return changing(engines, actor, which, 'webhook.secret_replaced', (tx) =>
    tx.webhooks.replaceSalt(actor.accountId, which.id, salt, previousSeconds),
  );
}

export async function enableWebhook(engines: Needs, actor: Actor | KeyActor, which: WebhookVersions): Promise<Webhook> {
  return changing(engines, actor, which, 'webhook.enabled', (tx) => tx.webhooks.enable(actor.accountId, which.id));
}

/** Sends nothing more until it is enabled again; events that wait are not sent. */
export async function switchOffWebhook(
  engines: Needs,
  actor: Actor | KeyActor,
  which: WebhookVersions,
): Promise<Webhook> {
  return changing(engines, actor, which, 'webhook.disabled', (tx) => tx.webhooks.switchOff(actor.accountId, which.id));
}

async function changing(
  engines: Needs,
  actor: Actor | KeyActor,
  { id, ifVersion }: WebhookVersions,
  action: AuditAction,
  change: (tx: Store, webhook: Webhook) => Promise<Webhook>,
): Promise<Webhook> {
  const { accountId } = actor;
  return engines.store.transaction(async (tx) => {
    const webhook = await tx.webhooks.lock(accountId, id);
    if (!webhook) throw new ExchangeError('not_found');
    requireMayControl(actor, webhook);
    requireVersion(ifVersion, String(webhook.version));
    const changed = await change(tx, webhook);
    const difference = action === 'webhook.changed' ? describeChange(webhook, changed) : {};
    await record(engines, tx, { accountId, author: actor.author, action, details: { webhookId: id }, ...difference });
    return changed;
  });
}
