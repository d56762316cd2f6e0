import { type Static, Type } from 'typebox';
import { limits } from '../limits.ts';
import { EventType } from './event.ts';
import { Page } from './page.ts';
import { Scope } from './scope.ts';
import { Time, timeOf } from './time.ts';

const Url = Type.String({
  minLength: 1,
  maxLength: limits.webhookUrlLength,
  description: 'where events are sent: an https URL without a user name, a password or a fragment',
});
const Types = Type.Array(EventType, {
  minItems: 1,
  maxItems: limits.typesPerWebhook,
  uniqueItems: true,
  description: 'types of events, such as drop.created',
});
const Description = Type.String({ maxLength: limits.webhookDescriptionLength, description: 'What it is for.' });
const orNull = {
  types: Type.Union([Types, Type.Null()], { description: 'The types of events that are sent; null: all.' }),
};

export const WebhookView = Type.Object({
  id: Type.String({ format: 'uuid', description: 'Which webhook it is.' }),
  url: Type.String({ description: 'Where events are sent.' }),
  ...orNull,
  scopes: Type.Union([Type.Array(Scope), Type.Null()], {
    description: 'The scopes of the key that made it: it is sent only what they may read; null: everything.',
  }),
  description: Type.String({ description: 'What it is for; may be empty.' }),
  public_keys: Type.Array(Type.String(), {
    minItems: 1,
    maxItems: 2,
    description: 'The keys (whpk_…) of `v1a` signatures: two while the secret is being replaced.',
  }),
  created_at: timeOf('When it was created.'),
  created_by: Type.Union([Type.String({ format: 'uuid' }), Type.Null()], {
    description: 'The `id` of the key that created it; null if an earlier version did not record it.',
  }),
  previous_secret_until: Type.Union([Time, Type.Null()], {
    description: 'Until then, requests are signed with the secret before, too.',
  }),
  failing_since: Type.Union([Time, Type.Null()], {
    description: 'When the first request since the last success failed.',
  }),
  disabled_at: Type.Union([Time, Type.Null()], { description: 'Nothing has been sent since then.' }),
  disabled_reason: Type.Union([Type.Enum(['gone', 'failing', 'key_revoked']), Type.Null()], {
    description:
      'gone: the receiver answered 410; failing: all requests failed for 5 days; key_revoked: the key that created it was revoked.',
  }),
});
export type WebhookView = Static<typeof WebhookView>;

export const WebhookList = Type.Object({ data: Type.Array(WebhookView, { maxItems: limits.webhooksPerAccount }) });

export const NewWebhook = Type.Object(
  { url: Url, types: Type.Optional(orNull.types), description: Type.Optional(Description) },
  { additionalProperties: false },
);

export const WebhookChanges = Type.Object(
  { url: Type.Optional(Url), types: Type.Optional(orNull.types), description: Type.Optional(Description) },
  { additionalProperties: false, minProperties: 1 },
);

/** The only answers that have the secret itself. */
export const WebhookWithSecret = Type.Object({
  ...WebhookView.properties,
  secret: Type.String({ description: 'The secret (whsec_…) of `v1` signatures.' }),
});

export const SecretReplacement = Type.Object(
  {
    previous_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 7 * 24 * 60 * 60,
        description: 'For how long requests are signed with the secret before, too; a day if not given.',
      }),
    ),
  },
  { additionalProperties: false },
);

/** One of the two. */
export const Replay = Type.Object(
  {
    event_id: Type.Optional(Type.String({ format: 'uuid', description: 'The event to send again.' })),
    since: Type.Optional(timeOf('a time such as 2030-01-31T12:00:00Z, since which all events are sent again')),
  },
  { additionalProperties: false, minProperties: 1, maxProperties: 1 },
);

export const SentTestEvent = Type.Object({ event_id: Type.String({ format: 'uuid' }) });

export const WebhookAttempt = Type.Object({
  id: Type.String({ format: 'uuid', description: 'Which attempt it is.' }),
  event_id: Type.String({ format: 'uuid', description: 'Sent as `webhook-id`.' }),
  type: Type.String({ description: 'The type of the event.' }),
  attempt: Type.Integer({ minimum: 1, description: 'Which attempt to send this event it was.' }),
  at: timeOf('When the request was sent.'),
  status: Type.Union([Type.Integer(), Type.Null()], {
    description: 'The status of the answer; null: there was none.',
  }),
  failure: Type.Union([Type.String(), Type.Null()], { description: 'Why there was no answer.' }),
  duration_ms: Type.Integer({ minimum: 0, description: 'How long it took, in milliseconds.' }),
});

export const WebhookAttempts = Page(WebhookAttempt);
