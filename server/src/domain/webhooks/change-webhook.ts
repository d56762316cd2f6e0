import { limits } from '@waybill/protocol';
import type { Actor, KeyActor } from '../actor.ts';
import type { AuditAction } from '../audit/actions.ts';
import { findDifference, record } from '../audit/record.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError, invalidField } from '../exchange-error.ts';
import { requireVersion } from '../require-version.ts';
import type { Store } from '../store.ts';
import { findWebhook } from './find-webhook.ts';
import { findScopes, requireCovered, requireMayControl, requireReadable } from './readable-events.ts';
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
  await changing(engines, actor, which, 'webhook.deleted', async (tx, webhook) => {
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

/** Sends nothing more until it is enabled again. Has no effect on a webhook that is disabled already. */
export async function disableWebhook(
  engines: Needs,
  actor: Actor | KeyActor,
  which: WebhookVersions,
): Promise<Webhook> {
  return changing(engines, actor, which, 'webhook.disabled', async (tx, webhook) =>
    webhook.disabled ? undefined : tx.webhooks.disableByRequest(actor.accountId, which.id),
  );
}

async function changing(
  engines: Needs,
  actor: Actor | KeyActor,
  { id, ifVersion }: WebhookVersions,
  action: AuditAction,
  change: (tx: Store, webhook: Webhook) => Promise<Webhook | undefined>,
): Promise<Webhook> {
  const { accountId } = actor;
  return engines.store.transaction(async (tx) => {
    const webhook = await tx.webhooks.lock(accountId, id);
    if (!webhook) throw new ExchangeError('not_found');
    requireMayControl(actor, webhook);
    requireVersion(ifVersion, String(webhook.version));
    const changed = await change(tx, webhook);
    if (!changed) return webhook;
    const difference = action === 'webhook.changed' ? describeChange(webhook, changed) : {};
    await record(engines, tx, { accountId, author: actor.author, action, details: { webhookId: id }, ...difference });
    return changed;
  });
}

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

/** Sends a webhook one event again, or all since a time, with the ids that they had. Returns how many, as far as they are counted. */
export async function replayEvents(
  engines: Pick<Engines, 'store' | 'random'>,
  actor: Actor | KeyActor,
  id: string,
  which: { readonly eventId: string } | { readonly since: Date },
): Promise<number> {
  const { accountId, author } = actor;
  return engines.store.transaction(async (tx) => {
    const webhook = await findWebhook({ store: tx }, actor, id);
    requireMayControl(actor, webhook);
    if (webhook.disabled) throw new ExchangeError('invalid_input', 'The webhook is disabled. Enable it first.');
    const count =
      'since' in which
        ? await tx.webhookDeliveries.replaySince(accountId, id, which.since, limits.countedReplays)
        : Number(await tx.webhookDeliveries.replay(accountId, id, which.eventId));
    if (count === 0 && 'eventId' in which)
      throw new ExchangeError(
        'not_found',
        'The event was not for this webhook, or is not kept any more. Check its id in the list of events.',
      );
    await record(engines, tx, { accountId, author, action: 'webhook.replayed', details: { webhookId: id, ...which } });
    return count;
  });
}
