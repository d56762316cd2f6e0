import { limits } from '@waybill/protocol';
import * as v1 from '@waybill/protocol/v1';
import { Type } from 'typebox';
import type { Actor } from '../../../domain/actor.ts';
import {
  changeWebhook,
  createWebhook,
  disableWebhook,
  enableWebhook,
  removeWebhook,
  replaceWebhookSecret,
  replayEvents,
} from '../../../domain/webhooks/change-webhook.ts';
import { findWebhook, listWebhookAttempts, listWebhooks } from '../../../domain/webhooks/find-webhook.ts';
import { requireMayControl } from '../../../domain/webhooks/readable-events.ts';
import { sendTestEvent } from '../../../domain/webhooks/send-test-event.ts';
import type { Webhook, WebhookAttempt } from '../../../domain/webhooks/webhook-store.ts';
import { parsePageQuery, toPageOf } from '../cursor.ts';
import { toETag } from '../etag.ts';
import { type KeyRoute, route, type V1Engines } from '../route.ts';

const params = Type.Object({ id: Type.String({ format: 'uuid', description: 'The `id` of a webhook.' }) });
const defaultPreviousSeconds = 24 * 60 * 60;

const listAll = route({
  method: 'GET',
  path: '/webhooks',
  id: 'listWebhooks',
  summary: 'List the account’s webhooks',
  scope: 'webhooks',
  query: Type.Object(v1.pageParameters, { additionalProperties: false }),
  response: { status: 200, description: 'A page of them, oldest first.', schema: v1.WebhookPage },
  errors: [],
  async handle({ engines, caller, query }) {
    const webhooks = await listWebhooks(engines, caller.accountId, limits.webhooksPerAccount);
    const body = toPageOf(engines, caller, 'webhooks', query, webhooks, (webhook) =>
      toWebhook(engines, caller, webhook),
    );
    return { body };
  },
});

const createOne = route({
  method: 'POST',
  path: '/webhooks',
  id: 'createWebhook',
  summary: 'Have events sent to a URL',
  scope: 'webhooks',
  body: v1.NewWebhook,
  example: { url: 'https://example.org/waybill', types: ['drop.completed', 'inbox.received'], description: 'archive' },
  response: {
    status: 201,
    description: 'The webhook, with its secret, which is shown only once.',
    schema: v1.WebhookWithSecret,
  },
  isVersioned: true,
  errors: ['too_many_webhooks'],
  async handle({ engines, caller, body: { url, types = null, description = '' } }) {
    return toWebhookWithSecret(engines, caller, await createWebhook(engines, caller, { url, types, description }));
  },
});

const readOne = route({
  method: 'GET',
  path: '/webhooks/:id',
  id: 'getWebhook',
  summary: 'Get a webhook',
  scope: 'webhooks',
  params,
  response: { status: 200, description: 'The webhook, without its secret.', schema: v1.Webhook },
  isVersioned: true,
  errors: ['not_found'],
  handle: async ({ engines, caller, params: { id } }) =>
    toVersionedWebhook(engines, caller, await findWebhook(engines, caller, id)),
});

const changeOne = route({
  method: 'PATCH',
  path: '/webhooks/:id',
  id: 'changeWebhook',
  summary: 'Change a webhook’s URL, types or description',
  scope: 'webhooks',
  params,
  body: v1.WebhookChanges,
  example: { types: null },
  response: { status: 200, description: 'The webhook. What is sent from now on goes to its URL.', schema: v1.Webhook },
  isVersioned: true,
  errors: ['not_found'],
  handle: async ({ engines, caller, params: { id }, body, ifVersion }) =>
    toVersionedWebhook(engines, caller, await changeWebhook(engines, caller, { id, ifVersion }, body)),
});

const removeOne = route({
  method: 'DELETE',
  path: '/webhooks/:id',
  id: 'deleteWebhook',
  summary: 'Delete a webhook: nothing more is sent to it',
  scope: 'webhooks',
  params,
  response: { status: 204, description: 'It is deleted.' },
  isVersioned: true,
  errors: ['not_found'],
  async handle({ engines, caller, params: { id }, ifVersion }) {
    await removeWebhook(engines, caller, { id, ifVersion });
    return {};
  },
});

const replaceSecret = route({
  method: 'POST',
  path: '/webhooks/:id/replace_secret',
  id: 'replaceWebhookSecret',
  summary: 'Replace a webhook’s secret; for a while, requests are signed with both',
  scope: 'webhooks',
  params,
  body: v1.SecretReplacement,
  example: { previous_seconds: 86_400 },
  response: {
    status: 200,
    description: 'The webhook, with its new secret, which is shown only once.',
    schema: v1.WebhookWithSecret,
  },
  isVersioned: true,
  errors: ['not_found'],
  async handle({ engines, caller, params: { id }, body, ifVersion }) {
    const { previous_seconds: seconds = defaultPreviousSeconds } = body;
    return toWebhookWithSecret(
      engines,
      caller,
      await replaceWebhookSecret(engines, caller, { id, ifVersion }, seconds),
    );
  },
});

const enableOne = route({
  method: 'POST',
  path: '/webhooks/:id/enable',
  id: 'enableWebhook',
  summary: 'Send events to a webhook again that was disabled',
  scope: 'webhooks',
  params,
  response: { status: 200, description: 'The webhook.', schema: v1.Webhook },
  isVersioned: true,
  errors: ['not_found'],
  handle: async ({ engines, caller, params: { id }, ifVersion }) =>
    toVersionedWebhook(engines, caller, await enableWebhook(engines, caller, { id, ifVersion })),
});

const disableOne = route({
  method: 'POST',
  path: '/webhooks/:id/disable',
  id: 'disableWebhook',
  summary: 'Stop sending events to a webhook until it is enabled again',
  scope: 'webhooks',
  params,
  response: {
    status: 200,
    description: 'The webhook. Events that become due meanwhile are abandoned.',
    schema: v1.Webhook,
  },
  isVersioned: true,
  errors: ['not_found'],
  handle: async ({ engines, caller, params: { id }, ifVersion }) =>
    toVersionedWebhook(engines, caller, await disableWebhook(engines, caller, { id, ifVersion })),
});

const testOne = route({
  method: 'POST',
  path: '/webhooks/:id/test',
  id: 'testWebhook',
  summary: 'Send a webhook an event of the type webhook.test',
  scope: 'webhooks',
  params,
  response: { status: 202, description: 'It is being sent; the attempts say how that went.', schema: v1.SentTestEvent },
  errors: ['not_found'],
  handle: async ({ engines, caller, params: { id } }) => ({
    body: { event_id: await sendTestEvent(engines, caller, id) },
  }),
});

const replayToOne = route({
  method: 'POST',
  path: '/webhooks/:id/replay',
  id: 'replayEvents',
  summary: 'Send a webhook one event again, or all since a time',
  scope: 'webhooks',
  params,
  body: v1.Replay,
  example: { since: '2030-01-31T12:00:00Z' },
  response: {
    status: 202,
    description: 'They are being sent; the attempts say how that went.',
    schema: v1.ReplayedEvents,
  },
  errors: ['not_found'],
  async handle({ engines, caller, params: { id }, body: { event_id: eventId, since } }) {
    // The schema guarantees one of the two.
    const which = eventId === undefined ? { since: new Date(since as string) } : { eventId };
    return { body: { event_count: await replayEvents(engines, caller, id, which) } };
  },
});

const listAttempts = route({
  method: 'GET',
  path: '/webhooks/:id/attempts',
  id: 'listWebhookAttempts',
  summary: 'List the requests that were sent to a webhook, newest first',
  scope: 'webhooks',
  params,
  query: Type.Object(v1.pageParameters, { additionalProperties: false }),
  response: { status: 200, description: 'A page of them.', schema: v1.WebhookAttemptPage },
  errors: ['not_found'],
  async handle({ engines, caller, params: { id }, query }) {
    // The log also says what happened and when.
    requireMayControl(caller, await findWebhook(engines, caller, id));
    const list = `webhooks/${id}/attempts`;
    const page = parsePageQuery<Pick<WebhookAttempt, 'id'>>(engines, caller, list, query, (row) => ({ id: row.id }));
    const attempts = await listWebhookAttempts(engines, caller.accountId, id, page.after, page.count);
    return { body: page.response(attempts, toWebhookAttempt) };
  },
});

export const webhookRoutes: readonly KeyRoute[] = [
  listAll,
  createOne,
  readOne,
  changeOne,
  removeOne,
  replaceSecret,
  enableOne,
  disableOne,
  testOne,
  replayToOne,
  listAttempts,
];

function toVersionedWebhook(engines: V1Engines, actor: Actor, webhook: Webhook) {
  return { body: toWebhook(engines, actor, webhook), headers: toETag(String(webhook.version)) };
}

/** Used only for the responses that contain the secret. */
function toWebhookWithSecret(engines: V1Engines, actor: Actor, webhook: Webhook) {
  const { body, headers } = toVersionedWebhook(engines, actor, webhook);
  const source = { accountId: actor.accountId, webhookId: webhook.id, salt: webhook.salt };
  return { body: { ...body, secret: engines.webhookSecrets.deriveSecret(source) }, headers };
}

function toWebhook({ webhookSecrets }: V1Engines, { accountId }: Actor, webhook: Webhook) {
  const { id, url, types, scopes, description, createdAt, createdBy, salt, previous, failingSince, disabled } = webhook;
  const salts = [salt, ...(previous ? [previous.salt] : [])];
  return {
    id,
    url,
    types,
    scopes,
    description,
    public_keys: salts.map((one) => webhookSecrets.derivePublicKey({ accountId, webhookId: id, salt: one })),
    created_at: createdAt,
    created_by: createdBy,
    previous_secret_until: previous?.until ?? null,
    failing_since: failingSince,
    disabled_at: disabled?.at ?? null,
    disabled_reason: disabled?.reason ?? null,
  };
}

function toWebhookAttempt({ id, eventId, type, attempt, at, status, failure, durationMs }: WebhookAttempt) {
  return { id, event_id: eventId, type, attempt, at, status, failure, duration_ms: durationMs };
}
